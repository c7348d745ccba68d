import { bytesOfText, showText } from '../../host/bytes.ts';
import { Pattern } from '../pattern.ts';
import { NEVER_PATTERNS } from '../presets/presets.ts';
import { ALLOW_PATTERN } from './schema.ts';

const WELL_FORMED = new RegExp(ALLOW_PATTERN, 'u');

/** Why an entry of allow_vars can't be one, or undefined. */
export function allowEntryProblem(entry: string): string | undefined {
  if (WELL_FORMED.test(entry)) return undefined;
  if (entry === '') return 'an entry of allow_vars is empty';
  const name = `'${showText(entry)}'`;
  if (entry.includes('*')) return `${name}: a * is possible only at the end, once`;
  if (/[?[\]]/.test(entry)) return `${name}: allow_vars knows no ?, [ or ], only a * at the end`;
  return `${name} has a character that no name of a variable can have`;
}

/** An entry that the code-injection list covers whole, so that it admits nothing. */
export function admitsNothing(pattern: Pattern): boolean {
  const { prefix, exact, source } = pattern;
  if (exact) return NEVER_PATTERNS.some((never) => never.pattern.matches(source));
  return NEVER_PATTERNS.some(
    (never) => never.pattern.prefix !== undefined && prefix?.startsWith(never.pattern.prefix) === true,
  );
}

export function parseAllowEntry(entry: string): Pattern {
  return Pattern.ofBytes(bytesOfText(entry));
}
