import { readNested, readPiece, skipGroup } from './expansion.ts';
import type { Reader } from './reader.ts';
import type { Part, Word } from './script.ts';

const ENDS_WORD = /[\s;&|<>()]/;
export const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const OPENS_ARRAY = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$/;
const BARE_DEFINITION = /\([ \t]*\)/y;

export function readWord(r: Reader): Word {
  const from = r.at;
  const parts: Part[] = [];
  while (!r.done) {
    if (r.peek() === '(' && OPENS_ARRAY.test(r.text.slice(from, r.at))) return readArray(r, from, parts);
    if (!readWordPiece(r, from, parts)) break;
  }
  if (r.at === from) r.fail(`${JSON.stringify(r.peek())} where a word belongs`);
  return { from, to: r.at, parts: joined(parts) };
}

/** False at the end of the word. */
function readWordPiece(r: Reader, from: number, parts: Part[]): boolean {
  const c = r.peek();
  if (r.backticks > 0 && c === '`') return false;
  if (isProcessSubstitution(r, from)) readProcess(r, parts);
  else if (c === '(' && opensPattern(r, from)) readPattern(r, parts);
  else if (isRange(r)) parts.push({ kind: 'text', text: takeRange(r) });
  else if (ENDS_WORD.test(c)) return false;
  else readPiece(r, parts, false);
  return true;
}

/** `<(…)`, `>(…)`, and `=(…)` in zsh. */
function isProcessSubstitution(r: Reader, from: number): boolean {
  if (r.peek(1) !== '(') return false;
  return r.peek() === '<' || r.peek() === '>' || (r.peek() === '=' && r.at === from && r.dialect === 'zsh');
}

const RANGE = /<\d*-\d*>/y;

/** `<1-9>`: numbers in a pattern of zsh. */
export function isRange(r: Reader): boolean {
  return r.dialect === 'zsh' && r.peek() === '<' && r.match(RANGE) !== undefined;
}

function takeRange(r: Reader): string {
  const range = r.match(RANGE) ?? '';
  r.at += range.length;
  return range;
}

function readProcess(r: Reader, into: Part[]): void {
  r.at += 2;
  readNested(r);
  into.push({ kind: 'command' });
}

/** Globs: `@(a|b)` in both, `*(N)` and `(a|b)*` in zsh; never `name()`. */
function opensPattern(r: Reader, from: number): boolean {
  if (r.match(BARE_DEFINITION) !== undefined) return false;
  return r.dialect === 'zsh' || (r.at > from && '@?*+!'.includes(r.text[r.at - 1] ?? ''));
}

function readPattern(r: Reader, into: Part[]): void {
  r.at++;
  skipGroup(r, ')');
  into.push({ kind: 'text', text: '*' });
}

function readArray(r: Reader, from: number, parts: readonly Part[]): Word {
  const elements: Word[] = [];
  r.at++;
  for (;;) {
    r.skipLines();
    if (r.done) r.fail(') is missing');
    if (r.peek() === ')') break;
    elements.push(readWord(r));
  }
  r.at++;
  return { from, to: r.at, parts: joined(parts), elements };
}

function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.kind === 'text' && last?.kind === 'text')
      result[result.length - 1] = { kind: 'text', text: last.text + part.text };
    else result.push(part);
  }
  return result;
}
