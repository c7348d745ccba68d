import { type HostRule, parseHost, uniqueHosts, verdictOn, WEB_PORTS } from '../policy/network/rules.ts';
import { HOST_SETS } from '../policy/network/sets.ts';

/** The entries of a list that lets these hosts through: sets where one has them, names for the rest. */
export function foldedHosts(hosts: readonly string[]): string[] {
  const sets = Object.keys(HOST_SETS).map((name) => ({ entry: `@${name}`, rules: rulesOf(`@${name}`) }));
  const left = new Set(hosts);
  const entries: string[] = [];
  for (;;) {
    const [best] = sets
      .map(({ entry, rules }) => ({ entry, has: [...left].filter((host) => covers(rules, host)) }))
      .toSorted((a, b) => b.has.length - a.has.length);
    if (best === undefined || best.has.length === 0) break;
    entries.push(best.entry);
    for (const host of best.has) left.delete(host);
  }
  const names = [...left].map((host) => {
    const { name, port } = split(host);
    return WEB_PORTS.includes(port) ? name : host;
  });
  return [...entries, ...new Set(names)].toSorted();
}

const rulesOf = (entry: string): readonly HostRule[] => {
  const parsed = parseHost(entry, entry);
  return 'rules' in parsed ? uniqueHosts(parsed.rules) : [];
};

function covers(allow: readonly HostRule[], host: string): boolean {
  const { name, port } = split(host);
  return verdictOn({ mode: 'names', allow, deny: [] }, name, port).allowed;
}

function split(host: string): { readonly name: string; readonly port: number } {
  const colon = host.lastIndexOf(':');
  return { name: host.slice(0, colon), port: Number(host.slice(colon + 1)) };
}
