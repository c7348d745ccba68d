import { guardName } from '../../decide/guard/index.ts';
import type { Bytes } from '../../host/bytes.ts';
import { isShellVariable } from './shell-variables.ts';
import { suspectIn } from './suspects.ts';
import { SUBSTITUTION } from './syntax/index.ts';
import { isHarmless, isSuspicious, literalOf } from './values.ts';

/** What the policy says, and what holds for all start-up files together. */
export interface Ground {
  /** Whether the policy would pass a variable of this name and value. */
  readonly passes: (name: Bytes, value: Bytes) => boolean;
  /** Names that some start-up file exports. */
  readonly exported: ReadonlySet<string>;
}

export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly exports: boolean;
  /** Every assignment exports here (`set -a`), so an export can't be taken off alone. */
  readonly exportsAll: boolean;
  /** In a function, or for one command: such a variable is not meant to last. */
  readonly passing: boolean;
}

export type Verdict = 'keep' | 'unexport' | 'remove';

/**
 * What becomes of an assignment, first match wins:
 * 1 the policy passes the name → kept;
 * 2 exported: kept without the export where the value is harmless or the shell's own matter, else removed;
 * 3 in a function or for one command: removed when it looks like a credential;
 * 4 removed, unless the value is harmless or the shell's own matter.
 */
export function judge(setting: Setting, ground: Ground): Verdict {
  const { name, value, passing } = setting;
  if (ground.passes(name as Bytes, literalOf(value) as Bytes)) return 'keep';
  if (setting.exports || setting.exportsAll || ground.exported.has(name)) return judgeExport(setting, ground);
  if (passing) return isSuspicious(name, value) ? 'remove' : 'keep';
  return isHarmless(value) || isOwnMatter(setting, ground) ? 'keep' : 'remove';
}

function judgeExport(setting: Setting, ground: Ground): Verdict {
  const { name, value, exportsAll } = setting;
  const plain = isHarmless(value) && !value.includes(SUBSTITUTION) && guardName(name as Bytes) === undefined;
  return !exportsAll && (plain || isOwnMatter(setting, ground)) ? 'unexport' : 'remove';
}

/** Some hold code, like PROMPT_COMMAND. */
function isOwnMatter({ name, value }: Setting, ground: Ground): boolean {
  return isShellVariable(name) && suspectIn(value, ground, 'text') === undefined;
}
