import { knownAgent } from '../agents/known.ts';
import { type Bytes, showBytes } from '../host/bytes.ts';
import { findCommand } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { hostName, isLoopbackHost, type NetworkPolicy, splitPort, verdictOn } from '../policy/network/rules.ts';
import type { Policy } from '../policy/policy.ts';
import type { Answer } from './answer.ts';

const TLS_PORT = 443;

/** The answer about a host, as far as the policy alone tells; whether it answers is another matter. */
export function hostAnswer(written: string, network: NetworkPolicy): Answer {
  const said = { kind: 'host', name: written } as const;
  if (network.mode === 'off')
    return {
      ...said,
      verdict: 'refused',
      reason: 'the network is off: no name is resolved and nothing is reached, this machine included',
      change: { effect: 'to reach it', flag: '--net on', profile: '"network": { "block": false }' },
    };
  if (network.mode === 'on')
    return {
      ...said,
      verdict: 'reached',
      reason: 'the network is on',
      change: { effect: 'to cut the network', flag: '--net off', profile: '"network": { "block": true }' },
    };
  const { host, port: asked } = splitPort(written) ?? { host: written };
  if (isLoopbackHost(host)) return { ...said, ...loopbackAnswer(asked, network) };
  const port = asked ?? TLS_PORT;
  const parsed = hostName(host);
  const { allowed, rule } = verdictOn(network, 'name' in parsed ? parsed.name : host, port);
  const origin = rule === undefined ? {} : { origin: rule.origin };
  if (allowed)
    return {
      ...said,
      ...origin,
      verdict: 'reached',
      reason: rule === undefined ? 'everything is let through to learn what is needed' : `${ruleWords(rule)} names it`,
      change: { effect: 'to refuse everything', flag: '--net off', profile: `"network": { "deny": ["${host}"] }` },
    };
  const entry = port === TLS_PORT ? host : `${host}:${port}`;
  return {
    ...said,
    ...origin,
    verdict: 'refused',
    reason: rule === undefined ? 'no rule names it' : `${ruleWords(rule)} denies it`,
    ...(rule === undefined
      ? { change: { effect: 'to reach it', flag: `--net ${entry}`, profile: `"network": { "allow": ["${entry}"] }` } }
      : {}),
  };
}

/** Whatever else is let through, a port of this machine is only by its own rule. */
function loopbackAnswer(port: number | undefined, { allow }: NetworkPolicy): Omit<Answer, 'kind' | 'name'> {
  const rule = allow.find((one) => one.kind === 'loopback' && one.port === port);
  if (rule !== undefined)
    return {
      verdict: 'reached',
      reason: `${ruleWords(rule)} names it: it leads to this machine's own loopback`,
      origin: rule.origin,
      change: { effect: 'to refuse it', flag: `leave out ${rule.text} (${rule.origin})` },
    };
  const entry = `@host:${port ?? 'PORT'}`;
  return {
    verdict: 'refused',
    reason: "the command's own loopback is there; no rule leads to this machine's",
    change: {
      effect: "to reach this machine's",
      flag: `--net ${entry}`,
      profile: `"network": { "allow": ["${entry}"] }`,
    },
  };
}

const ruleWords = ({ text, set }: { readonly text: string; readonly set?: string | undefined }) =>
  set === undefined ? text : `${text} (${set})`;

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
