import { createHash } from 'node:crypto';
import type { HostRule } from './network/rules.ts';
import type { Policy } from './policy.ts';

/**
 * What tells one policy from another: all that decides about a launch, whichever way it was said, save where it is written and what values
 * are. Two launches with the same one may share a cache.
 */
export function fingerprintOf(policy: Policy): string {
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
