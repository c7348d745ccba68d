import type { Bytes } from '../../host/bytes.ts';
import type { GuardFinding } from './finding.ts';
import { guardName } from './name.ts';
import { guardValue } from './value.ts';

export type { GuardFinding } from './finding.ts';
export { deniedWordsIn, guardName, nameParts, showName } from './name.ts';
export { guardValue, holdsKnownForm } from './value.ts';

/** Whether a variable carries a credential, by its name or else by its value. */
export function inspect(name: Bytes, value: Bytes): GuardFinding | undefined {
  return guardName(name) ?? guardValue(name, value);
}
