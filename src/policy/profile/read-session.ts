import { childOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import { uniqueHosts } from '../network/rules.ts';
import type { Limits, SessionPolicy } from '../session.ts';
import { readHosts } from './read-network.ts';

/** Which key of a profile sets which limit, and what one of it stands for. */
const LIMIT_KEYS: readonly (readonly [string, keyof Limits, number])[] = [
  ['memory', 'memory', 1],
  ['processes', 'processes', 1],
  ['cpu_seconds', 'cpuSeconds', 1],
  ['file_size', 'fileSize', 1],
  ['temporary', 'temporary', 1],
  ['output', 'output', 1],
  ['output_file', 'outputFile', 1],
  ['output_files', 'outputFiles', 1],
  ['output_total', 'outputTotal', 1],
  ['timeout_seconds', 'timeoutMs', 1000],
];

/** What a layer says about sessions; undefined when it says nothing. The check of the whole makes sure of the types. */
export function readSession(root: Node, problems: Problems): Partial<SessionPolicy> | undefined {
  const section = childOf(root, 'session');
  if (section === undefined) return undefined;
  const limits = LIMIT_KEYS.flatMap(([key, limit, unit]) => {
    const amount = amountOf(childOf(section, key));
    return amount === undefined ? [] : [[limit, amount * unit] as const];
  });
  return {
    limits: Object.fromEntries(limits),
    path: itemsOf(childOf(section, 'path')).flatMap((item) => textOf(item) ?? []),
    blockedHosts: readHosts(childOf(section, 'blocked_hosts'), problems),
  };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

function amountOf(node: Node | undefined): number | undefined {
  if (node?.kind !== 'scalar') return undefined;
  if (typeof node.value === 'number' || typeof node.value === 'bigint') return Number(node.value);
  const [, digits, unit = ''] = /^([0-9]+)([KMGT]?)$/.exec(String(node.value)) ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] as number);
}

export function mergeSessions(
  under: Partial<SessionPolicy> | undefined,
  over: Partial<SessionPolicy> | undefined,
): Partial<SessionPolicy> | undefined {
  if (under === undefined || over === undefined) return over ?? under;
  const both = (one: readonly string[] = [], other: readonly string[] = []) => [...new Set([...one, ...other])];
  return {
    limits: { ...under.limits, ...over.limits },
    path: both(under.path, over.path),
    blockedHosts: uniqueHosts([...(under.blockedHosts ?? []), ...(over.blockedHosts ?? [])]),
  };
}
