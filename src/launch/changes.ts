import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Folders } from '../host/folders.ts';
import { type ChangesPlace, type Path, pathOf, pathsOf } from '../plan/places/index.ts';
import type { Keeping } from '../policy/config/changes.ts';
import type { HostRule } from '../policy/network/rules.ts';
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

/**
 * What tells one policy from another: all that decides about a launch, whichever way it was said, save where it is written and what values
 * are. Two launches with the same one may share a cache.
 */
function fingerprintOf(policy: Policy): string {
  const { origin, base, allow, deny, set, credentials, guard, filesystem, network, isolation } = policy;
  const meaning = {
    origin,
    base: base.preset,
    allow: allow.map(({ pattern, extraKey, plain }) => [pattern.source, extraKey, plain]),
    deny: deny.map(({ pattern, except }) => [pattern.source, except.map(({ source }) => source)]),
    set: set.map(({ name }) => name),
    credentials: credentials.map(({ target, source }) => [target, source]),
    guard,
    filesystem,
    network: { mode: network.mode, allow: textsOf(network.allow), deny: textsOf(network.deny) },
    isolation,
  };
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex').slice(0, 40);
}

/** As they are written: what an address is read as can't be said in JSON. */
const textsOf = (rules: readonly HostRule[]) => rules.map(({ text }) => text);
