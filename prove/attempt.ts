import { endGroup, type Helper, startHelper } from './helper.ts';
import { ended, type TrialOutcome } from './outcome.ts';
import type { Probe, Trial } from './probe.ts';
import type { Scene } from './scene.ts';
import { SHELL } from './scripts.ts';

/** One probe, planted and ready to be tried by any launcher. */
export interface Attempt {
  readonly scene: Scene;
  /** The caller's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly starter: readonly string[];
  readonly starterIsOurs: boolean;
  readonly trial: readonly string[];
  readonly brokered: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
}

export const DONE = 'the probe ran to its end';

/** What of a probe is carried out. */
type Practice = Pick<Probe, 'plant' | 'env' | 'starter' | 'starterIsOurs' | 'trial' | 'brokered' | 'hosts'>;

export async function planted(probe: Practice, scene: Scene): Promise<Attempt> {
  await probe.plant?.(scene);
  return {
    scene,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scene.home, ...probe.env?.(scene) },
    starter: probe.starter?.(scene) ?? SHELL,
    starterIsOurs: probe.starterIsOurs === true,
    trial: trialArgv(probe.trial(scene), scene),
    brokered: probe.brokered ?? {},
    hosts: probe.hosts?.(scene) ?? [],
  };
}

/** Whether the trial got what it was after. */
export function leaked({ worked }: Pick<Probe, 'worked'>, scene: Scene, outcome: TrialOutcome): boolean {
  return worked?.(scene, outcome) ?? (outcome.stdout.includes(scene.canary) || outcome.stdout.includes('LEAKED'));
}

export interface Start {
  /** What is started by the starter; the trial's words are part of it where the launcher takes them. */
  readonly argv: readonly string[];
  /** What the launcher reads from descriptor 3. */
  readonly plan?: string;
}

/** Starts a launcher the way a user's shell would, in the scene. */
export function begin(
  attempt: Pick<Attempt, 'scene' | 'env' | 'starter' | 'starterIsOurs'>,
  { argv, plan }: Start,
): Helper {
  const { scene, env, starter, starterIsOurs } = attempt;
  const { uid, gid } = starterIsOurs ? { uid: undefined, gid: undefined } : scene;
  const child = startHelper([...starter, ...argv], {
    env,
    cwd: scene.work,
    uid,
    gid,
    extraPipe: plan !== undefined,
  });
  scene.atEnd(() => endGroup(child));
  if (plan !== undefined)
    (child.stdio[3] as NodeJS.WritableStream).on('error', () => undefined).end(Buffer.from(plan, 'latin1'));
  return child;
}

/** The same, until it has ended; its input ends at once. */
export function tried(attempt: Attempt, start: Start): Promise<TrialOutcome> {
  const child = begin(attempt, start);
  child.stdin?.on('error', () => undefined).end();
  return ended(child);
}

/** Where the home is the system tells too: a launcher that only leaves HOME out has not taken it away. */
function trialArgv(trial: Trial, { home }: Scene): readonly string[] {
  if ('argv' in trial) return trial.argv;
  if ('sh' in trial) return ['/bin/sh', '-c', `: "\${HOME:=${home}}"; export HOME\n${trial.sh}\necho '${DONE}'`];
  const known = `import os; os.environ.setdefault('HOME', ${JSON.stringify(home)})`;
  return ['python3', '-c', `${known}\n${trial.python}\nprint('${DONE}', flush=True)`];
}
