import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { Pattern } from './pattern.ts';
import { NEVER, ONLY_BY_NAME } from './presets/injection.ts';

export interface ListedPattern {
  readonly pattern: Pattern;
  readonly group: string;
}

const listed = (groups: typeof NEVER): readonly ListedPattern[] =>
  groups.flatMap(({ group, names }) => names.map((name) => ({ pattern: Pattern.builtIn(name), group })));

export const NEVER_PATTERNS: readonly ListedPattern[] = listed(NEVER);
export const ONLY_BY_NAME_PATTERNS: readonly ListedPattern[] = listed(ONLY_BY_NAME);

/** Whether the name is on the code-injection list as it is written. */
export function isNeverName(name: Bytes): boolean {
  return NEVER_PATTERNS.some(({ pattern }) => pattern.matches(name));
}

const REFUSED_TARGETS = ['PATH', 'HOME', 'SHELL'].map(bytesOfText);

/** Names that no value may be set or injected under, whatever their case: some programs and systems don't tell cases apart (E4). */
export function isRefusedTarget(name: Bytes): boolean {
  const upper = name.toUpperCase() as Bytes;
  return isNeverName(name) || isNeverName(upper) || REFUSED_TARGETS.includes(upper);
}
