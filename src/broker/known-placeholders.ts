import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../host/files.ts';
import { replaceFile } from '../host/whole-file.ts';

const fileIn = (state: string) => join(state, 'placeholders');
const markOf = (placeholder: string) => createHash('sha256').update(placeholder).digest('base64url').slice(0, 22);

const LARGEST = 1 << 18;

/** That these were made up, for whoever comes across one later. Kept are marks of them only, of the latest some ten thousand. */
export function rememberPlaceholders(state: string, placeholders: readonly string[]): void {
  if (placeholders.length === 0) return;
  const lines = placeholders.map((one) => `${markOf(one)}\n`).join('');
  try {
    ensureFolder(state);
    appendFileSync(fileIn(state), lines, { mode: 0o600 });
    if (statSync(fileIn(state)).size > LARGEST)
      replaceFile(fileIn(state), latestHalf(readFileSync(fileIn(state), 'latin1')));
  } catch {
    // Nothing depends on it but what a person is told later.
  }
}

const latestHalf = (text: string) => text.slice(text.indexOf('\n', text.length - LARGEST / 2) + 1);

/** What a placeholder consists of. */
const CANDIDATES = /[A-Za-z0-9_.-]{20,4096}/g;

export interface LeftOver {
  readonly start: number;
  readonly end: number;
}

/** Where placeholders of this user's launches stand in a text. */
export function leftOversIn(text: string, state: string | undefined): LeftOver[] {
  let marks: ReadonlySet<string> | undefined;
  const isKnown = (word: string) => {
    marks ??= state === undefined ? new Set() : marksIn(state);
    return marks.has(markOf(word));
  };
  return [...text.matchAll(CANDIDATES)].flatMap(({ 0: word, index }) => {
    const parts = [{ word, at: index }, ...partsOf(word, index)];
    const found = parts.find((part) => isKnown(part.word));
    return found === undefined ? [] : [{ start: found.at, end: found.at + found.word.length }];
  });
}

/** A full stop may be the end of a sentence, or stand between a name and its value. */
function partsOf(word: string, index: number): { readonly word: string; readonly at: number }[] {
  return [...word.matchAll(/[^.]{20,}/g)].map((part) => ({ word: part[0], at: index + part.index }));
}

function marksIn(state: string): ReadonlySet<string> {
  try {
    return new Set(readFileSync(fileIn(state), 'latin1').split('\n'));
  } catch {
    return new Set();
  }
}
