import { childOf, entryOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import {
  type HostRule,
  NETWORK_OFF,
  NETWORK_ON,
  type NetworkPolicy,
  parseHost,
  uniqueHosts,
} from '../network/rules.ts';
import type { HostList, NetworkLayer } from './layer.ts';

/** `network: { block, allow, deny, … }`, the same in profiles and for agents. The check of the whole makes sure of the types. */
export function readNetwork(section: Node | undefined, problems: Problems): NetworkLayer {
  const block = childOf(section, 'block');
  const allow = entryOf(section, 'allow');
  const isBlocked = block?.kind === 'scalar' && block.value === true;
  if (isBlocked && allow !== undefined)
    problems.add(
      allow.keyPlace,
      'block: true lets nothing through, so there is nothing to allow',
      'leave one of them out',
    );
  return {
    ...(block?.kind === 'scalar' && typeof block.value === 'boolean'
      ? { block: { value: block.value, origin: problems.where(block.place) } }
      : {}),
    ...(allow === undefined
      ? {}
      : { allow: { origin: problems.where(allow.keyPlace), rules: readHosts(allow.value, problems, 'allow') } }),
    deny: readHosts(childOf(section, 'deny'), problems, 'deny'),
    ...readLimits(section, problems),
  };
}

/** A port of the kernel's, and a timer of Node's, hold no more. */
export const MOST_OF = { connections: 65_535, silence_seconds: 2_000_000 } as const;

function readLimits(
  section: Node | undefined,
  problems: Problems,
): Pick<NetworkLayer, 'connections' | 'silenceSeconds'> {
  const limit = (key: keyof typeof MOST_OF) => {
    const node = childOf(section, key);
    if (node?.kind !== 'scalar' || (typeof node.value !== 'number' && typeof node.value !== 'bigint')) return undefined;
    const value = Number(node.value);
    if (value > MOST_OF[key]) problems.add(node.place, `${value} is too much: at most ${MOST_OF[key]}`);
    return { value, origin: problems.where(node.place) };
  };
  const [connections, silenceSeconds] = [limit('connections'), limit('silence_seconds')];
  return {
    ...(connections === undefined ? {} : { connections }),
    ...(silenceSeconds === undefined ? {} : { silenceSeconds }),
  };
}

export function readHosts(node: Node | undefined, problems: Problems, use: 'allow' | 'deny' = 'deny'): HostRule[] {
  return itemsOf(node).flatMap((item) => {
    const text = textOf(item);
    if (text === undefined) return [];
    const parsed = parseHost(text, problems.where(item.place));
    if ('problem' in parsed) problems.add(item.place, parsed.problem, parsed.hint);
    else if (use === 'deny' && parsed.rules.some((rule) => 'pin' in rule))
      problems.add(item.place, `'${text}' pins a name, which only a host that is allowed can be`);
    else return [...parsed.rules];
    return [];
  });
}

export function mergeNetworks(under: NetworkLayer, over: NetworkLayer): NetworkLayer {
  return {
    block: over.block ?? under.block,
    allow: mergeLists(under.allow, over.allow),
    deny: uniqueHosts([...under.deny, ...over.deny]),
    connections: over.connections ?? under.connections,
    silenceSeconds: over.silenceSeconds ?? under.silenceSeconds,
  };
}

/** Whoever cut it off meant it: it takes a word to open it again. */
export function blockedWarnings({ block, allow }: NetworkLayer): string[] {
  if (block?.value !== true || allow === undefined || allow.rules.length === 0) return [];
  return [
    `network.allow (${allow.origin}) opens nothing: the network is cut off (${block.origin}); "block": false beside it would open these hosts`,
  ];
}

function mergeLists(under: HostList | undefined, over: HostList | undefined): HostList | undefined {
  if (under === undefined || over === undefined) return over ?? under;
  return { origin: over.origin, rules: uniqueHosts([...under.rules, ...over.rules]) };
}

const ALL_OTHERS = { kind: 'any', text: '*', origin: 'only network.deny is said' } as const;

/** A list, and be it empty, means only what it names; what is denied without one leaves everything else. */
export function networkOf(layer: NetworkLayer): NetworkPolicy {
  const limits = { connections: layer.connections?.value, silenceSeconds: layer.silenceSeconds?.value };
  const isLimited = limits.connections !== undefined || limits.silenceSeconds !== undefined;
  return { ...hostsOf(layer), ...(isLimited ? { limits } : {}) };
}

function hostsOf({ block, allow, deny }: NetworkLayer): NetworkPolicy {
  if (block?.value === true) return NETWORK_OFF;
  if (allow === undefined && deny.length === 0) return NETWORK_ON;
  return { mode: 'names', allow: allow?.rules ?? [ALL_OTHERS], deny };
}
