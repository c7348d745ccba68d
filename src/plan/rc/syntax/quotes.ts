import { readBackticks, readDollar } from './expansion.ts';
import type { Reader } from './reader.ts';
import type { Part } from './script.ts';

/** A quoted string, from its first quote on. */
export function readQuote(r: Reader, into: Part[], kind: 'single' | 'ansi' | 'plain'): void {
  const from = r.at;
  if (kind === 'plain') readDouble(r, into);
  else readSingle(r, into, kind);
  if (r.text.slice(from, r.at).includes('\n')) r.refuseLateDocuments();
}

function readSingle(r: Reader, into: Part[], kind: 'single' | 'ansi'): void {
  const quoted = r.match(kind === 'single' ? /'[^']*'/y : /'(?:[^'\\]|\\[\s\S])*'/y);
  if (quoted === undefined) r.fail("a ' that is not closed");
  r.at += quoted.length;
  const text = quoted.slice(1, -1);
  into.push({ kind: 'text', text: kind === 'single' ? text : withoutEscapes(text) });
}

export function readDouble(r: Reader, into: Part[]): void {
  const from = r.at;
  r.take('"');
  for (;;) {
    const plain = r.match(/[^"\\$`]+/y) ?? '';
    if (plain !== '') into.push({ kind: 'text', text: plain });
    r.at += plain.length;
    const c = r.peek();
    if (c === '') r.fail('a " that is not closed', from);
    if (c === '"') break;
    if (c === '$') readDollar(r, into, true);
    else if (c === '`') readTick(r, into);
    else readDoubleEscape(r, into);
  }
  r.at++;
}

/** Inside an old-style substitution the tick would end it. */
function readTick(r: Reader, into: Part[]): void {
  if (r.backticks > 0) r.fail('a ` within quotes within `');
  readBackticks(r, into);
}

function readDoubleEscape(r: Reader, into: Part[]): void {
  const next = r.peek(1);
  r.at += 2;
  if (next !== '\n') into.push({ kind: 'text', text: '$`"\\'.includes(next) ? next : `\\${next}` });
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };

function withoutEscapes(text: string): string {
  return text.replace(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[\s\S])/g, (_, code: string) => {
    if (/^x./.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    return NAMED[code] ?? code;
  });
}
