import {
  type HostRule,
  NETWORK_OFF,
  NETWORK_ON,
  type NetworkMode,
  type NetworkPolicy,
  parseHost,
  settled,
  uniqueHosts,
} from '../policy/network/rules.ts';
import type { Policy } from '../policy/policy.ts';
import { flagValues, type ParsedArguments, textValue, usageError } from './flags.ts';

const MODES = ['on', 'off', 'learn', 'ask'];

/** `--net` as often as it was given: one mode at most, and hosts on top of what the policy names. `@own` is settled last. */
export function withNetFlags(policy: Policy, parsed: ParsedArguments): Policy {
  const words = flagValues(parsed, '--net').map((value) => textValue(value, '--net'));
  const network = words.length === 0 ? policy.network : flagNetwork(policy.network, words);
  return { ...policy, network: settled(network) };
}

function flagNetwork(given: NetworkPolicy, words: readonly string[]): NetworkPolicy {
  const modes = [...new Set(words.filter((word) => MODES.includes(word)))] as NetworkMode[];
  const hosts = words.filter((word) => !MODES.includes(word));
  const [mode, other] = modes;
  if (other !== undefined)
    throw usageError(`--net ${mode} and --net ${other} contradict each other`, 'keep one of them');
  if ((mode === 'on' || mode === 'off') && hosts.length > 0)
    throw usageError(
      `--net ${mode} and --net ${hosts[0]} contradict each other`,
      'name only the hosts, or leave them out',
    );
  if (mode === 'off') return NETWORK_OFF;
  if (mode === 'on') return NETWORK_ON;
  const isList = given.mode !== 'on' && given.mode !== 'off';
  return {
    mode: mode ?? (isList ? given.mode : 'names'),
    allow: uniqueHosts([...(isList ? given.allow : []), ...hosts.flatMap(hostFlag)]),
    deny: given.deny,
    own: given.own,
    limits: given.limits,
  };
}

function hostFlag(word: string): readonly HostRule[] {
  const parsed = parseHost(word === 'own' ? '@own' : word, 'flag --net');
  if ('problem' in parsed) throw usageError(`--net: ${parsed.problem}`, parsed.hint);
  return parsed.rules;
}
