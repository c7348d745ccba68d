import { readCase, readConditional, readFor, readFunctionHead } from './compound.ts';
import { readNested, skipArithmetic } from './expansion.ts';
import type { Reader } from './reader.ts';
import { isRedirection, readRedirection } from './redirection.ts';
import type { Word } from './script.ts';
import { ASSIGNMENT, readWord } from './word.ts';

/** What ends a list of commands; whoever asked for the list takes it. */
export type End = ')' | '}' | '`' | 'esac' | 'file';

export function readCommands(r: Reader, end: End): void {
  r.nested(() => {
    for (;;) {
      skipSeparators(r, end);
      if (isEnd(r, end)) return;
      readCommand(r, end);
    }
  });
}

const SEPARATORS = /[;&|]+!?/y;
const CASE_SEPARATORS = /;[;&|]+/y;

function skipSeparators(r: Reader, end: End): void {
  for (;;) {
    r.skipLines();
    if (r.has('&>') || (end === 'esac' && r.match(CASE_SEPARATORS) !== undefined)) return;
    const found = r.match(SEPARATORS);
    if (found === undefined) return;
    r.at += found.length;
  }
}

function isEnd(r: Reader, end: End): boolean {
  if (r.done) return end === 'file' ? true : r.fail(`${end} is missing`);
  if (end === 'esac') return r.match(CASE_SEPARATORS) !== undefined || isKeyword(r, 'esac');
  if (end === '}') return isKeyword(r, '}');
  if (r.peek() === ')' && end !== ')') r.fail(') is one too many');
  return r.peek() === end;
}

/** A word by itself in this place. */
function isKeyword(r: Reader, word: string): boolean {
  return r.has(word) && !/[^\s;&|<>()`]/.test(r.peek(word.length));
}

/** They only stand before commands: what follows is read as the next one. */
const SKIPPED = new Set([
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'while',
  'until',
  'do',
  'done',
  '!',
  'time',
  'coproc',
  'always',
  'end',
]);

function readCommand(r: Reader, end: End): void {
  const { bodyFollows } = r;
  if (r.peek() === '(') readParenthesis(r);
  else if (isRedirection(r)) readRedirection(r, []);
  else {
    const keyword = r.match(/(?:[A-Za-z]+|[!{}]|\[\[)(?=[\s;&|<>()`]|$)/y) ?? '';
    if (!readKeyword(r, keyword)) readSimple(r, end);
  }
  if (bodyFollows) r.bodyFollows = false;
}

function readKeyword(r: Reader, keyword: string): boolean {
  const readers: Readonly<Record<string, (r: Reader) => void>> = {
    '{': (reader) => inBody(reader, () => readGroup(reader)),
    '}': (reader) => reader.fail('} is one too many'),
    '[[': readConditional,
    case: readCase,
    for: readFor,
    foreach: readFor,
    select: readFor,
    function: readFunctionHead,
    repeat: readRepeat,
  };
  const read = Object.hasOwn(readers, keyword) ? readers[keyword] : undefined;
  if (read === undefined && !SKIPPED.has(keyword)) return false;
  r.at += keyword.length;
  read?.(r);
  return true;
}

function readGroup(r: Reader): void {
  readCommands(r, '}');
  r.take('}');
}

function readRepeat(r: Reader): void {
  r.skipBlanks();
  readWord(r);
}

function readParenthesis(r: Reader): void {
  if (skipArithmetic(r, '((')) return;
  if (takeEmptyParentheses(r)) return;
  r.at++;
  inBody(r, () => readNested(r));
}

/** `name ()`, and in zsh `()` alone, make a function of the next group. */
function takeEmptyParentheses(r: Reader): boolean {
  const found = r.match(/\([ \t]*\)/y);
  if (found === undefined) return false;
  r.at += found.length;
  r.skipLines();
  r.bodyFollows = true;
  return true;
}

function inBody(r: Reader, read: () => void): void {
  const inside = r.bodyFollows ? 1 : 0;
  r.bodyFollows = false;
  r.functions += inside;
  read();
  r.functions -= inside;
}

interface Simple {
  readonly assignments: Word[];
  readonly words: Word[];
  readonly operands: Word[];
  hasHereDocument: boolean;
}

function readSimple(r: Reader, end: End): void {
  const simple: Simple = { assignments: [], words: [], operands: [], hasHereDocument: false };
  const from = r.at;
  let to = from;
  while (!isOver(r, end)) {
    if (r.peek() === '#') r.skipComment();
    else if (isRedirection(r)) simple.hasHereDocument = readRedirection(r, simple.operands) || simple.hasHereDocument;
    else if (simple.words.length > 0 && takeEmptyParentheses(r)) {
      refuseUnlessNames(r, simple);
      return;
    } else addWord(r, simple);
    if (r.text[r.at - 1] !== '\n') to = r.at;
  }
  r.commands.push({ ...simple, from, to, inFunction: r.functions > 0 });
}

/** Only names stand before the parentheses of a function, in bash only one. */
function refuseUnlessNames(r: Reader, { assignments, words, operands }: Simple): void {
  if (assignments.length + operands.length > 0 || (words.length > 1 && r.dialect === 'bash')) r.fail('an odd function');
}

function addWord(r: Reader, { assignments, words }: Simple): void {
  const word = readWord(r);
  const isAssignment = words.length === 0 && ASSIGNMENT.test(r.text.slice(word.from, word.to));
  (isAssignment ? assignments : words).push(word);
}

function isOver(r: Reader, end: End): boolean {
  r.skipBlanks();
  if (r.done || r.peek() === '\n' || r.peek() === ')' || r.peek() === ';' || r.peek() === '|') return true;
  if (r.peek() === '&') return !r.has('&>');
  if (end === '`' && r.peek() === '`') return true;
  return end === '}' && r.dialect === 'zsh' && isKeyword(r, '}');
}
