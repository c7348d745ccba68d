import { join } from 'node:path';
import type { Folders } from '../host/folders.ts';
import { type ChangesPlace, type Path, pathOf, pathsOf } from '../plan/places/index.ts';
import type { Keeping } from '../policy/config/changes.ts';
import { fingerprintOf } from '../policy/fingerprint.ts';
import type { Policy } from '../policy/policy.ts';

export const CHANGES_FOLDER = 'changes';
const KEPT_DAYS = 14;
const KEPT_BYTES = 2 ** 30;

/** Where what a command puts aside is kept; undefined where Cordon has no folder of its own. */
export function changesPlace(
  { state }: Folders,
  layers: Path | undefined,
  policy: Policy,
  keeping: Keeping = { keep: [] },
): ChangesPlace | undefined {
  const folder = state === undefined ? undefined : pathOf(join(state, CHANGES_FOLDER));
  if (folder === undefined) return undefined;
  const kept = layers === undefined ? undefined : { folder: layers, policy: fingerprintOf(policy) };
  const { days = KEPT_DAYS, bytes = KEPT_BYTES, keep } = keeping;
  return { folder, days, bytes, kept, save: pathsOf(keep) };
}
