import { bytesOfText } from '../../host/bytes.ts';
import type { Policy } from '../policy.ts';
import { isByName } from './rules.ts';

/** Where the proxy of a sandbox is, as native/src/outside.h has it. */
const PROXY = 'http://127.0.0.1:17080';
const OWN_LOOPBACK = 'localhost,127.0.0.1,::1';

/** Where these variables come from, in what is told about a launch. */
export const BY_NAME_ORIGIN = 'the network by name';

const upperAndLower = (name: string) => [name, name.toLowerCase()];

/** What programs that know of proxies look at. Names work without them; with them programs need not resolve any. */
const VARIABLES: readonly (readonly [string, string])[] = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap(upperAndLower).map((name) => [name, PROXY] as const),
  ...upperAndLower('NO_PROXY').map((name) => [name, OWN_LOOPBACK] as const),
  ['NODE_USE_ENV_PROXY', '1'],
];

/** A proxy of the user's own is for the process outside: its password is nobody else's. */
export function withProxyVariables(policy: Policy): Policy {
  if (!isByName(policy.network)) return policy;
  const taken = new Set<string>(policy.set.map(({ name }) => name));
  const added = VARIABLES.filter(([name]) => !taken.has(name)).map(([name, value]) => ({
    name: bytesOfText(name),
    value: bytesOfText(value),
    origin: BY_NAME_ORIGIN,
  }));
  return { ...policy, set: [...policy.set, ...added] };
}
