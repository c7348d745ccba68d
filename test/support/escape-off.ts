import { type Attempt, type TrialOutcome, through, throughCordon, throughPlan } from './escape-run.ts';
import type { Scene } from './escape-scene.ts';

/** A protection switched off: what is missing, and the same attempt without it. */
export interface Off {
  readonly without: string;
  readonly run: (attempt: Attempt) => Promise<TrialOutcome>;
}

/** The natural switch: other flags. They stand before those of the attempt, which count more only where they contradict. */
export function withFlags(without: string, ...flags: readonly string[]): Off {
  return { without, run: (attempt) => throughCordon({ ...attempt, flags }) };
}

export const FILTER = withFlags('the barrier', '--isolation', 'filter');
export const FS_ALL = withFlags('the guarded filesystem', '--fs', 'all');

type Change = (plan: readonly string[], scene: Scene) => string[];

/** Every protection stands in the plan, so it is off when its lines are changed. */
export function withPlan(without: string, ...changes: readonly Change[]): Off {
  return {
    without,
    run: (attempt) =>
      throughPlan(attempt, (plan) => changes.reduce<string[]>((lines, change) => change(lines, attempt.scene), plan)),
  };
}

/** Bubblewrap as people use it, without the launcher and its inner process. */
export const BUBBLEWRAP_ALONE: Off = {
  without: 'the launcher around bubblewrap',
  run: (attempt) =>
    through(attempt, [
      'bwrap',
      '--unshare-pid',
      '--die-with-parent',
      ...['--bind', '/', '/'],
      ...['--dev', '/dev'],
      ...['--proc', '/proc'],
    ]),
};

export const WITHOUT_CORDON: Off = { without: 'Cordon', run: (attempt) => through(attempt, []) };

export const noLine =
  (start: string): Change =>
  (plan) =>
    plan.filter((line) => !line.startsWith(start));

/** One more line, which takes a protection away by naming what it covers. */
export const moreLine =
  (line: string | ((scene: Scene) => string)): Change =>
  (plan, scene) => {
    const end = plan.lastIndexOf('end');
    return plan.toSpliced(end, 0, typeof line === 'string' ? line : line(scene));
  };

const instead =
  (line: string, other: string): Change =>
  (plan) =>
    plan.map((given) => (given === line ? other : given));

export const NO_SECCOMP = noLine('seccomp ');
export const NO_LANDLOCK = noLine('landlock-scope');
export const HOST_IPC = withPlan('the IPC namespace', moreLine('ipc host'));
export const HOST_NETWORK = noLine('network off');
export const HOST_DEV = withPlan('the private /dev', instead('dev', 'write /dev'));
