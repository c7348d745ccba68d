import { type Decision, decide } from '../decide/decide.ts';
import { guardName } from '../decide/guard/index.ts';
import { type Bytes, bytesOfText, showBytes } from '../host/bytes.ts';
import { ParentEnv } from '../host/parent-env.ts';
import type { Origin, Policy } from '../policy/policy.ts';
import { listed } from './finding.ts';
import { WELL_KNOWN_CREDENTIALS } from './well-known.ts';

/** Credentials that one rule of a policy lets through. */
export interface Admitted {
  readonly now: readonly string[];
  readonly wellKnown: readonly string[];
}

/** By the code that decides for launches: what it would pass of the names that are set now, and of those that credentials commonly have. */
export function admittedBy(policy: Policy, env: ParentEnv): ReadonlyMap<Origin, Admitted> {
  const now = passing(policy, namesOnly(env.names()));
  const known = passing(policy, namesOnly(WELL_KNOWN_CREDENTIALS.map(bytesOfText)));
  const origins = new Set([...now, ...known].map(({ origin }) => origin));
  const namesOf = (decisions: readonly Decision[], origin: Origin) =>
    decisions.filter((one) => one.origin === origin).map(({ name }) => showBytes(name));
  return new Map([...origins].map((origin) => [origin, admitted(namesOf(now, origin), namesOf(known, origin))]));
}

/** A name that is set is no news as a well-known one. */
const admitted = (now: string[], known: string[]): Admitted => ({
  now,
  wellKnown: known.filter((name) => !now.includes(name)),
});

/** Values are nobody's business here: whether a name passes is the same with an empty one. */
const namesOnly = (names: readonly Bytes[]) =>
  ParentEnv.fromBlock(Buffer.from(names.map((name) => `${name}=\0`).join(''), 'latin1'));

function passing(policy: Policy, env: ParentEnv): Decision[] {
  return decide(policy, env).filter(({ verdict, name }) => verdict === 'pass' && guardName(name) !== undefined);
}

/** `set now: A, B; well known: C, D and 3 more`. */
export function admittedText({ now, wellKnown }: Admitted): string {
  const parts = [
    ...(now.length === 0 ? [] : [`set now: ${listed(now)}`]),
    ...(wellKnown.length === 0 ? [] : [`well known: ${listed(wellKnown)}`]),
  ];
  return parts.join('; ');
}
