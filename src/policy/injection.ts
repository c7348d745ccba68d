import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { CONTROL_VARIABLES } from '../host/control.ts';
import { isUsableName } from '../host/parent-env.ts';
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
  return NEVER_EXACTLY.has(name) || NEVER_ALIKE.some(({ pattern }) => pattern.matches(name));
}

/** Every variable of a launch is looked up, and nearly all of the list are plain names. */
const NEVER_EXACTLY = new Set(
  NEVER_PATTERNS.filter(({ pattern }) => pattern.exact).map(({ pattern }) => pattern.source),
);
const NEVER_ALIKE = NEVER_PATTERNS.filter(({ pattern }) => !pattern.exact);

const REFUSED_TARGETS = ['PATH', 'HOME', 'SHELL'].map(bytesOfText);

/** Why no child ever has a variable of this name, whoever asks; completes "NAME is refused: …". */
export function nameProblem(name: Bytes): string | undefined {
  if (!isUsableName(name)) return 'it is no name of a variable';
  if ((CONTROL_VARIABLES as readonly string[]).includes(name)) return "it is one of Cordon's own variables";
  return isNeverName(name) ? 'it is on the code-injection list' : undefined;
}

/** Why no credential is injected under this name, whatever its case: some programs and systems don't tell cases apart. */
export function targetProblem(name: Bytes): string | undefined {
  const upper = name.toUpperCase() as Bytes;
  if (REFUSED_TARGETS.includes(upper)) return 'it decides which programs run';
  return nameProblem(name) ?? nameProblem(upper);
}
