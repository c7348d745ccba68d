import { type Cell, notApplicable, STOPPED, type TrialLimits, tryOut } from './cell.ts';
import { excuseOf } from './excuse.ts';
import type { Ground } from './ground.ts';
import { type Launcher, NOTHING } from './launchers.ts';
import type { Probe } from './probe.ts';
import type { Commitments } from './promise.ts';

export interface Run {
  readonly probes: readonly Probe[];
  /** Beside the control. */
  readonly launchers: readonly Launcher[];
  readonly commitments: Commitments;
  readonly ground: Ground;
  readonly limits: TrialLimits;
  readonly onProgress?: (done: number, all: number) => void;
}

/** One probe and what came of it: first without anything around it, then under each launcher. */
export interface Row {
  readonly probe: Probe;
  readonly cells: readonly Cell[];
}

/** A trial mostly waits; more at a time would make one late because of another. */
const AT_A_TIME = 2;

/** Tries every probe under every launcher. */
export async function runProbes(run: Run): Promise<Row[]> {
  const rows = new Map<Probe, Row>();
  const waiting = [...run.probes];
  const work = async () => {
    for (let probe = waiting.shift(); probe !== undefined; probe = waiting.shift()) {
      rows.set(probe, await rowOf(probe, run));
      run.onProgress?.(rows.size, run.probes.length);
    }
  };
  run.onProgress?.(0, run.probes.length);
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return run.probes.map((probe) => rows.get(probe) as Row);
}

async function rowOf(probe: Probe, run: Run): Promise<Row> {
  const control = await tryOut(probe, NOTHING, run.ground, run.limits);
  if (control === STOPPED || control.status === 'not applicable') return everywhere(probe, run, control);
  if (control.status === 'blocked')
    return everywhere(probe, run, notApplicable('finds nothing on this machine, even with nothing around it'));
  const cells: Cell[] = [control];
  for (const launcher of run.launchers) cells.push(await cellOf(probe, launcher, run));
  return { probe, cells };
}

const everywhere = (probe: Probe, { launchers }: Run, cell: Cell): Row => ({
  probe,
  cells: [NOTHING, ...launchers].map(() => cell),
});

async function cellOf(probe: Probe, launcher: Launcher, { ground, limits, commitments }: Run): Promise<Cell> {
  const cell = await tryOut(probe, launcher, ground, limits);
  if (cell.status !== 'leaked' || launcher.kind !== 'cordon') return cell;
  const { held, why } = commitments[probe.promise];
  const left = held ? launcher.leaves?.(probe) : why;
  if (left !== undefined) return { status: 'open', reason: `not promised: ${left}` };
  const retry = async (other: Launcher) => (await tryOut(probe, other, ground, limits)).status;
  const excuse = await excuseOf(launcher, retry);
  return excuse === undefined ? cell : { status: 'open', reason: `let through by the policy: ${excuse}` };
}
