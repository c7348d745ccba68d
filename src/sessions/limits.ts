import { CordonError } from '../host/errors.ts';
import type { ResourceLimit } from '../plan/plan.ts';
import type { Limits } from '../policy/session.ts';

export type { Limits } from '../policy/session.ts';

const MEBI = 2 ** 20;

const DEFAULT_LIMITS: Limits = {
  memory: 2048 * MEBI,
  processes: 512,
  cpuSeconds: 600,
  fileSize: 1024 * MEBI,
  temporary: 256 * MEBI,
  output: MEBI,
  outputFile: 64 * MEBI,
  outputFiles: 200,
  outputTotal: 512 * MEBI,
  timeoutMs: 120_000,
};

/** What the caller says wins over the profile, which wins over the defaults. */
export function mergeLimits(profile: Partial<Limits>, own: Partial<Limits>): Limits {
  const limits = { ...DEFAULT_LIMITS, ...defined(profile), ...defined(own) };
  for (const [name, value] of Object.entries(limits))
    if (!Object.hasOwn(DEFAULT_LIMITS, name) || !Number.isSafeInteger(value) || value < 1) throw badLimit(name);
  return limits;
}

const defined = (limits: Partial<Limits>) =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));

function badLimit(name: string): CordonError {
  return new CordonError('session', `'${name}' is no limit, or no whole number from 1`, {
    hint: `the limits are ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
  });
}

/** Timers of Node have no longer time than this. */
const LONGEST_TIME = 2 ** 31 - 1;

/** What a caller says about one call is below the limit of the session, or that limit. */
export function callLimit(given: number | undefined, limit: number): number {
  if (given !== undefined && !(Number.isSafeInteger(given) && given >= 0))
    throw new CordonError('session', 'timeoutMs and maxOutput of a call are whole numbers from 0');
  return Math.min(given ?? limit, limit, LONGEST_TIME);
}

/** Processes of ours that stand around the command and are counted with it: in a control group the launcher, bubblewrap and the first one inside. */
export const SURROUNDING = 3;

/** A resource limit counts what is inside only. */
const SURROUNDING_INSIDE = 1;

/** What each process is held to, whatever holds all of them together. */
export function resourceLimits({ memory, processes, cpuSeconds, fileSize }: Limits, grouped: boolean): ResourceLimit[] {
  return [
    { resource: 'cpu', value: cpuSeconds },
    { resource: 'fsize', value: fileSize },
    { resource: 'nofile', value: 4096 },
    ...(grouped
      ? []
      : ([
          { resource: 'data', value: memory },
          { resource: 'nproc', value: processes + SURROUNDING_INSIDE },
        ] as const)),
  ];
}
