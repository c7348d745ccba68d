import { hasFsPolicy, type ToolPolicy } from '../tools/tool-policy.ts';
import type { Probe } from './probe.ts';

interface Limit {
  readonly probes: RegExp;
  readonly why: string;
}

const OF_ALL: readonly Limit[] = [
  { probes: /^refill\//, why: 'a shim shows the start-up files of shells as they are' },
  {
    probes: /^planting\/workspace-hooks$/,
    why: 'a shim is written before it is known which folder the tool will work in',
  },
  { probes: /^kernel\/mounted-twice$/, why: 'it was mounted after the shim was written' },
];

const OF_ENV_POLICIES: Limit = {
  probes: /^kernel\/(shared-memory|messages|posix-messages)$|^processes\/signals-to-the-group$/,
  why: 'with an env policy alone a shim shares IPC and abstract sockets with the host',
};

/** What `cordon run` holds and a shim does not: it is written once and started anywhere (decisions 006 and 013). */
export function leftByShim(tool: ToolPolicy): (probe: Probe) => string | undefined {
  const limits = hasFsPolicy(tool) ? OF_ALL : [...OF_ALL, OF_ENV_POLICIES];
  return ({ id }) => limits.find(({ probes }) => probes.test(id))?.why;
}
