import { readCommands } from './commands.ts';
import { readPiece, skipArithmetic, skipGroup } from './expansion.ts';
import type { Reader } from './reader.ts';
import { type Part, textOf, type Word } from './script.ts';
import { readWord } from './word.ts';

/** `[[ … ]]`, after the brackets. */
export function readConditional(r: Reader): void {
  for (;;) {
    skipBetweenConditions(r);
    if (r.done) r.fail(']] is missing');
    if (r.match(/\]\](?=[\s;&|<>()`]|$)/y) !== undefined) break;
    if (/[()<>&|;]/.test(r.peek())) r.at++;
    else r.fixed.push(readCondition(r));
  }
  r.at += 2;
}

/** `(#b)` is a flag of zsh patterns, no comment. */
function skipBetweenConditions(r: Reader): void {
  r.skipBlanks();
  if (r.peek() === '\n' || (r.peek() === '#' && /\s/.test(r.text[r.at - 1] ?? ''))) r.skipLines();
}

/** Parentheses are part of conditions and of regular expressions, and mean nothing here. */
function readCondition(r: Reader): Word {
  const from = r.at;
  const parts: Part[] = [];
  do readPiece(r, parts, false);
  while (!r.done && !/[\s;]/.test(r.peek()));
  return { from, to: r.at, parts };
}

export function readCase(r: Reader): void {
  r.skipLines();
  r.fixed.push(readWord(r));
  r.at += r.match(/\s*;?/y)?.length ?? 0;
  r.skipLines();
  r.take('in');
  for (;;) {
    r.skipLines();
    const end = r.match(/esac(?=[\s;&|<>()`}]|$)/y);
    if (end !== undefined) {
      r.at += end.length;
      return;
    }
    readBranch(r);
  }
}

function readBranch(r: Reader): void {
  if (!readWholePattern(r)) skipGroup(r, ')');
  readCommands(r, 'esac');
  r.at += r.match(/;[;&|]+/y)?.length ?? 0;
}

/** `(a|b)`: the parentheses are around the pattern, unless in zsh it goes on behind them, as in `(a|b)*)`. */
function readWholePattern(r: Reader): boolean {
  if (r.peek() !== '(') return false;
  r.at++;
  skipGroup(r, ')');
  return r.dialect === 'bash' || /[\s;]|^$/.test(r.peek());
}

/** `for NAME in WORD…`, `for NAME (WORD…)` in zsh, `for ((…))`; the body is read as commands like any other. */
export function readFor(r: Reader): void {
  r.skipBlanks();
  if (skipArithmetic(r, '((')) return;
  const name = r.match(/\w[\w \t]*?(?=[ \t]+in\b|[ \t]*[(;\n])/y);
  if (name === undefined) r.fail('a loop of an odd form');
  r.at += name.length;
  r.skipLines();
  const words = readList(r);
  r.loops.push({ name: name.trim(), words });
  r.fixed.push(...words);
}

function readList(r: Reader): Word[] {
  if (r.peek() === '(') {
    r.at++;
    const words = readWordsUntil(
      r,
      () => r.peek() === ')',
      () => r.skipLines(),
    );
    r.take(')');
    return words;
  }
  if (r.match(/in(?=[\s;]|$)/y) === undefined) return [];
  r.at += 2;
  return readWordsUntil(
    r,
    () => r.done || /[;\n&]/.test(r.peek()),
    () => r.skipBlanks(),
  );
}

function readWordsUntil(r: Reader, isOver: () => boolean, skip: () => void): Word[] {
  const words: Word[] = [];
  for (;;) {
    skip();
    if (isOver()) return words;
    if (r.peek() === '#') r.skipComment();
    else words.push(readWord(r));
  }
}

/** `function NAME… [()]`: the group that follows is its body. */
export function readFunctionHead(r: Reader): void {
  for (;;) {
    r.skipBlanks();
    if (r.done || r.peek() === '{' || r.peek() === '\n' || r.peek() === '(') break;
    if (textOf(readWord(r)) === '') r.fail('a function without a name');
  }
  r.at += r.match(/\([ \t]*\)/y)?.length ?? 0;
  r.skipLines();
  r.bodyFollows = true;
}
