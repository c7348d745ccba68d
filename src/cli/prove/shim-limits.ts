import type { Probe } from '../../../prove/probe.ts';
import { hasFsPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';

interface Limit {
  readonly probes: RegExp;
  readonly why: string;
}

/** With a policy about files a shim holds all that a run holds. */
const OF_ENV_POLICIES: readonly Limit[] = [
  {
    probes: /^kernel\/(shared-memory|messages|posix-messages)$|^processes\/signals-to-the-group$/,
    why: 'with an env policy alone a shim shares IPC and abstract sockets with the host',
  },
  { probes: /^refill\//, why: 'with an env policy alone a shim shows the start-up files of shells as they are' },
];

/** What `cordon run` holds and the shim of this tool does not: with an env policy alone it leaves files and IPC as they are. */
export function leftByShim(tool: ToolPolicy): (probe: Probe) => string | undefined {
  const limits = hasFsPolicy(tool) ? [] : OF_ENV_POLICIES;
  return ({ id }) => limits.find(({ probes }) => probes.test(id))?.why;
}
