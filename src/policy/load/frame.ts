import { showText } from '../../host/bytes.ts';
import type { Place } from './node.ts';
import type { Source } from './source.ts';

const WIDEST = 100;
/** Beside the shown part, so that a token that is cut in two is still seen as one. */
const MARGIN = 200;
const MASK = '•';

/**
 * The line with a mark under the spot. What stands in a file may be a secret that someone put there by mistake, and errors
 * end up in logs: the values of `hidden` places are covered, and so is whatever looks like a token.
 */
export function frameOf(source: Source, place: Place, hidden: readonly Place[]): readonly string[] {
  if ('path' in place) return [];
  const { line, column } = source.position(place.start);
  const from = Math.max(0, column - 1 - WIDEST / 2);
  const shown = covered(source, line, from, hidden).replaceAll('\t', ' ');
  const before = showText(shown.slice(0, column - 1 - from));
  const length = Math.min(place.end - place.start, shown.length - (column - 1 - from));
  const label = String(line);
  return [
    `${label} | ${showText(shown)}`,
    `${' '.repeat(label.length)} | ${' '.repeat(before.length)}${'^'.repeat(Math.max(1, length))}`,
  ];
}

/** Only a part of the line is worked on: it may be the whole file. */
function covered(source: Source, line: number, from: number, hidden: readonly Place[]): string {
  const text = source.lineText(line);
  const start = Math.max(0, from - MARGIN);
  const offset = source.lineStart(line) + start;
  const characters = text.slice(start, from + WIDEST + MARGIN).split('');
  for (const place of hidden) {
    if ('path' in place) continue;
    const end = Math.min(place.end - offset, characters.length);
    for (let i = Math.max(0, place.start - offset); i < end; i++) characters[i] = MASK;
  }
  return coverTokens(characters.join('')).slice(from - start, from - start + WIDEST);
}

/** Long runs with letters and digits: keys, hashes, encoded data. Names of variables are left as they are. */
export function coverTokens(text: string): string {
  return text.replace(/[\w+=-]{20,}/g, (run) => (looksLikeToken(run) ? MASK.repeat(run.length) : run));
}

function looksLikeToken(run: string): boolean {
  const isVariableName = /^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(run);
  return !isVariableName && /\d/.test(run) && /[A-Za-z]/.test(run);
}

const KEY = /(?:^|[{,])[\s-]*(?:"[^"]*"|'[^']*'|[\w.$-]+)\s*[:=]/g;
const WORD = /[^\s[\]{},:="'#-]+/g;

/** Where the syntax is broken nobody knows what is a value: every word of the line is taken for one that is not clearly a key. */
export function wordsOfBrokenLine(source: Source, offset: number): Place[] {
  const { line } = source.position(offset);
  const base = source.lineStart(line);
  const text = source.lineText(line);
  const withoutKeys = text.replace(KEY, (key) => ' '.repeat(key.length));
  return [...withoutKeys.matchAll(WORD)].map(({ index, 0: word }) => ({
    start: base + index,
    end: base + index + word.length,
  }));
}

/** A parser's message up to where it begins to quote the file. */
export function withoutQuotes(message: string): string {
  const words = message.split(/: |["'`]/, 1)[0]?.trim() ?? '';
  return words.charAt(0).toLowerCase() + words.slice(1);
}
