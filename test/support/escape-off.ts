import { type Attempt, type Outcome, through, throughCordon, throughPlan } from './escape-run.ts';
import type { Scene } from './escape-scene.ts';

/** A protection switched off: what is missing, and the same attempt without it. */
export interface Off {
  readonly without: string;
  readonly run: (attempt: Attempt) => Promise<Outcome>;
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

/** Bubblewrap arguments taken out wherever they stand, each with this many values. */
export const noArgument =
  (name: string, values = 0): Change =>
  (plan) =>
    plan.flatMap((line) => {
      const fields = line.split(' ');
      const at = fields.indexOf(name);
      if (fields[0] !== 'sandbox' || at === -1) return [line];
      fields.splice(at, 1 + values);
      return fields.length === 1 ? [] : [fields.join(' ')];
    });

/** Mounts on this path, or on all paths below one that ends in a slash. */
export const noMount =
  (where: string | ((scene: Scene) => string)): Change =>
  (plan, scene) => {
    const path = typeof where === 'string' ? where : where(scene);
    return plan.filter((line) => {
      const target = line.split(' ').at(-1) ?? '';
      return !(line.startsWith('sandbox --') && (path.endsWith('/') ? target.startsWith(path) : target === path));
    });
  };

export const instead =
  (line: string, other: string): Change =>
  (plan) =>
    plan.map((given) => (given === line ? other : given));

export const NO_SECCOMP = noLine('seccomp ');
export const NO_LANDLOCK = noLine('landlock-scope');
export const KEEP_CAPABILITIES = noArgument('--cap-drop', 1);
