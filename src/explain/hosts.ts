import type { NetworkPolicy } from '../policy/policy.ts';
import type { Answer } from './answer.ts';

/** The answer about a host, as far as the policy alone tells; whether it answers is another matter. */
export function hostAnswer(name: string, { off }: NetworkPolicy): Answer {
  if (off)
    return {
      kind: 'host',
      name,
      verdict: 'refused',
      reason: 'the network is off: no name is resolved and nothing is reached, this machine included',
      change: { effect: 'to reach it', flag: '--net on', profile: '"network": { "block": false }' },
    };
  return {
    kind: 'host',
    name,
    verdict: 'reached',
    reason: 'the network is on',
    change: { effect: 'to cut the network', flag: '--net off', profile: '"network": { "block": true }' },
  };
}
