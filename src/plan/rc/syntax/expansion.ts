import { readCommands } from './commands.ts';
import { readDouble, readQuote } from './quotes.ts';
import type { Reader } from './reader.ts';
import type { Part } from './script.ts';

/** `$…` of every kind; inside double quotes some of it is plain text. */
export function readDollar(r: Reader, into: Part[], inDouble: boolean): void {
  r.nested(() => readExpansion(r, into, inDouble));
}

function readExpansion(r: Reader, into: Part[], inDouble: boolean): void {
  const next = r.peek(1);
  if (next === '(') readSubstitution(r, into);
  else if (next === '{') readBraced(r, into, inDouble);
  else if (next === '[') {
    r.at += 2;
    skipGroup(r, ']');
    into.push(variable(''));
  } else if (!inDouble && (next === "'" || next === '"')) {
    r.at++;
    readQuote(r, into, next === "'" ? 'ansi' : 'plain');
  } else readNamed(r, into);
}

function readNamed(r: Reader, into: Part[]): void {
  const found = r.match(/\$[+#=~^]?(?:[A-Za-z_]\w*|[0-9])|\$[@*#?$!-]/y);
  r.at += found?.length ?? 1;
  into.push(found === undefined ? { kind: 'text', text: '$' } : variable(found.replace(/^\$[+#=~^]?(?=\w)/, '')));
}

function readSubstitution(r: Reader, into: Part[]): void {
  if (skipArithmetic(r, '$((')) {
    into.push(variable(''));
    return;
  }
  r.at += 2;
  readNested(r);
  into.push({ kind: 'command' });
}

/** Commands up to the closing parenthesis. */
export function readNested(r: Reader): void {
  const ticks = r.backticks;
  r.backticks = 0;
  readCommands(r, ')');
  r.take(')');
  r.backticks = ticks;
}

/** `((…))`; false, and nothing read, when it is one parenthesis in another. */
export function skipArithmetic(r: Reader, opening: string): boolean {
  if (!r.has(opening)) return false;
  const { at } = r;
  const marks = [r.commands.length, r.comments.length, r.fixed.length] as const;
  r.at += opening.length;
  skipGroup(r, ')');
  if (r.peek() === ')') {
    r.at++;
    return true;
  }
  r.at = at;
  [r.commands.length, r.comments.length, r.fixed.length] = marks;
  return false;
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Past the bracket that closes the one just read; quotes and nested ones of the same kind are minded. The text counts as fixed. */
export function skipGroup(r: Reader, closer: string): void {
  const from = r.at;
  const parts: Part[] = [];
  for (let depth = 0; ; ) {
    const c = r.peek();
    if (r.done) r.fail(`${closer} is missing`);
    if (c === closer && depth-- === 0) break;
    if (CLOSERS[c] === closer) depth++;
    readPiece(r, parts, false);
  }
  r.addFixed(from, parts);
  r.at++;
}

/** One character, quoted string or expansion. */
export function readPiece(r: Reader, into: Part[], inDouble: boolean): void {
  const c = r.peek();
  if (r.done) r.fail('it ends too early');
  if (c === '\\') readEscape(r, into);
  else if (c === "'" && !inDouble) readQuote(r, into, 'single');
  else if (c === '"') readQuote(r, into, 'plain');
  else if (c === '$') readDollar(r, into, inDouble);
  else if (c === '`' && r.backticks === 0) readBackticks(r, into);
  else {
    if (c === '\n') r.refuseLateDocuments();
    into.push({ kind: 'text', text: c });
    r.at++;
  }
}

function readEscape(r: Reader, into: Part[]): void {
  const next = r.peek(1);
  r.at += 2;
  if (next === '') r.fail('a backslash at the end');
  if (next !== '\n') into.push({ kind: 'text', text: next });
}

/** With escapes inside, what it runs can't be read in place: its text counts as fixed. */
export function readBackticks(r: Reader, into: Part[]): void {
  const inner = r.match(/`(?:[^`\\]|\\[\s\S])*`/y);
  if (inner === undefined) r.fail('` is missing');
  into.push({ kind: 'command' });
  if (inner.includes('\\')) {
    const from = r.at;
    r.at += inner.length;
    r.addFixed(from, [{ kind: 'text', text: inner }]);
    return;
  }
  r.at++;
  r.backticks++;
  readCommands(r, '`');
  r.backticks--;
  r.take('`');
}

/** Operators whose operand may become the value. */
const OPERAND_COUNTS = /:?[-=+?]/y;

function readBraced(r: Reader, into: Part[], inDouble: boolean): void {
  r.at += 2;
  const name = readParameter(r, into);
  const operator = r.match(OPERAND_COUNTS);
  r.at += operator?.length ?? 0;
  const operand: Part[] = [];
  while (r.peek() !== '}') readPiece(r, operand, inDouble && operator !== undefined);
  r.at++;
  into.push(variable(name, operator === undefined ? [] : operand));
}

/** Flags, length and indirection signs, the name or what stands for one, subscripts. */
function readParameter(r: Reader, into: Part[]): string {
  if (r.peek() === '(') {
    r.at++;
    skipGroup(r, ')');
  }
  r.at += r.match(/[#!=~^+]+(?=[\w"${@*])/y)?.length ?? 0;
  const name = r.match(/[A-Za-z_]\w*|[0-9]+|[@*#?$!-](?=[}:[])/y) ?? '';
  r.at += name.length;
  if (name === '' && r.peek() === '$') readDollar(r, into, false);
  else if (name === '' && r.peek() === '"') readDouble(r, into);
  while (r.peek() === '[') {
    r.at++;
    skipGroup(r, ']');
  }
  return name;
}

function variable(name: string, otherwise: readonly Part[] = []): Part {
  return { kind: 'variable', name, otherwise };
}
