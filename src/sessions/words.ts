import { availableParallelism } from 'node:os';
import type { Limits } from './limits.ts';
import type { CallResult } from './types.ts';

const XCPU = 128 + 24;
const XFSZ = 128 + 25;

export interface Hits {
  readonly exitCode: number;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly memory: boolean;
  readonly processes: boolean;
  readonly outputBytes: number;
  /** Some of it is nowhere any more. */
  readonly outputLost: boolean;
  readonly most: number;
  readonly timeoutMs: number;
  readonly fileProblem: string | undefined;
}

/** Which limits a call hit, in words; undefined when it hit none. */
export function limitWords(hits: Hits, limits: Limits): CallResult['limit'] {
  const words = [
    hits.timedOut && `the time limit of ${hits.timeoutMs / 1000} s: the command was ended`,
    hits.memory && `the memory limit of ${sizeText(limits.memory)}: a process was ended`,
    hits.processes && `the limit of ${limits.processes} processes: more were refused`,
    usedProcessor(hits, limits) && `the limit of ${limits.cpuSeconds} s of processor time`,
    hits.exitCode === XFSZ && `the limit of ${sizeText(limits.fileSize)} for one file`,
    hits.outputLost && `the output limit of ${sizeText(hits.most)} a stream: ${hits.outputBytes} bytes were written`,
    hits.fileProblem,
  ].filter((word) => typeof word === 'string');
  return words.length === 0 ? undefined : words.join('; ');
}

/** A command may end with any code by itself; it cannot have used more time than all processors have had. */
function usedProcessor({ exitCode, durationMs }: Hits, { cpuSeconds }: Limits): boolean {
  return exitCode === XCPU && durationMs * availableParallelism() >= cpuSeconds * 900;
}

/** What each process is held to leaves no trace but the failure it caused. */
export function likelyHits(exitCode: number, stderr: Buffer): Pick<Hits, 'memory' | 'processes'> {
  const said = exitCode === 0 ? '' : stderr.toString('latin1', Math.max(0, stderr.length - 8192));
  return {
    memory: /cannot allocate memory|MemoryError|out of memory/i.test(said),
    processes: /fork: (retry: )?Resource temporarily unavailable|BlockingIOError: \[Errno 11\]/i.test(said),
  };
}

const UNITS = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'bytes'],
] as const;

export function sizeText(bytes: number): string {
  const [one, unit] = UNITS.find(([least]) => bytes >= least) ?? UNITS[3];
  return `${Number((bytes / one).toFixed(1))} ${unit}`;
}
