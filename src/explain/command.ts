import { knownAgent } from '../agents/known.ts';
import { type Bytes, showBytes } from '../host/bytes.ts';
import { findCommand } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Policy } from '../policy/policy.ts';
import type { Answer } from './answer.ts';

/** Which policy a command line would get, and from where. */
export function commandAnswer(name: Bytes, policy: Policy, env: ParentEnv): Answer {
  const path = findCommand(name, env);
  const { base, filesystem, network, isolation, guard } = policy;
  const parts = [
    `base ${base.preset}`,
    ...(guard === 'off' ? [] : [`guard ${guard}`]),
    `files ${filesystem.preset}`,
    `network ${network.mode === 'names' ? 'by name' : network.mode}`,
    `isolation ${isolation}`,
  ];
  return {
    kind: 'command',
    name: showBytes(name),
    verdict: `${showBytes(path)}, with the policy of ${policy.origin}`,
    reason: parts.join(', '),
    origin: policy.origin,
    change:
      knownAgent(name) !== undefined && policy.origin.startsWith('agent')
        ? { effect: 'to start it as any other command', flag: '--agent none' }
        : { effect: 'to start from another policy', flag: '--profile NAME' },
  };
}
