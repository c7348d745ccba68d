import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { begin as beginIn, type Attempt as ProbeAttempt, tried } from '../../prove/attempt.ts';
import { ended, type TrialOutcome } from '../../prove/outcome.ts';
import { cordonProgram, installedPackage } from './cordon.ts';
import type { Scene } from './escape-scene.ts';
import { openFolder, ROOT } from './project.ts';

export { SHELL } from '../../prove/scripts.ts';
export { ended, type TrialOutcome };

/** One attempt of a test: the probe as it was planted, and the flags of `cordon run`. */
export interface Attempt extends ProbeAttempt {
  readonly scene: Scene;
  readonly flags: readonly string[];
}

export function throughCordon(attempt: Attempt): Promise<TrialOutcome> {
  return tried(attempt, { argv: [cordonProgram(), 'run', ...attempt.flags, '--', ...attempt.trial] });
}

/** Without Cordon: another program stands in its place. */
export function through(attempt: Attempt, program: readonly string[]): Promise<TrialOutcome> {
  return tried(attempt, { argv: [...program, ...attempt.trial] });
}

/** The plan for the same request, changed, carried out by the same launcher. */
export async function throughPlan(attempt: Attempt, change: (plan: string[]) => string[]): Promise<TrialOutcome> {
  const plan = (await planOf(attempt)).split('\n');
  const changed = change(plan);
  if (changed.join('\n') === plan.join('\n'))
    throw new Error(`nothing was switched off in this plan:\n${plan.join('\n')}`);
  const launcher = join(installedPackage(), 'dist/native/cordon-launch');
  return tried(attempt, { argv: [launcher, '--plan-fd=3'], plan: changed.join('\n') });
}

async function planOf({
  scene,
  flags,
  env,
  trial,
}: Pick<Attempt, 'scene' | 'flags' | 'env' | 'trial'>): Promise<string> {
  const argv = [process.execPath, planner(), ...flags, '--', ...trial];
  const { code, stdout, stderr } = await ended(begin({ scene, env, starter: [] }, argv), 'latin1');
  if (code !== 0) throw new Error(`no plan could be made: ${stderr}`);
  return stdout;
}

interface Beginning {
  readonly scene: Scene;
  readonly env: Readonly<Record<string, string>>;
  readonly starter: readonly string[];
  /** Its input ends at once unless it is to stay open. */
  readonly input?: 'open';
}

/** Any command of the user's in the scene. */
export function begin({ scene, env, starter, input }: Beginning, argv: readonly string[]): ChildProcess {
  const caller = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scene.home, ...env };
  const child = beginIn({ scene, env: caller, starter, starterIsOurs: false }, { argv });
  child.stdin?.on('error', () => undefined);
  if (input !== 'open') child.stdin?.end();
  return child;
}

let bundled: string | undefined;

function planner(): string {
  if (bundled === undefined) {
    bundled = join(openFolder('planner'), 'planner.mjs');
    buildSync({
      ...{ entryPoints: [join(ROOT, 'test/support/escape-planner.ts')], outfile: bundled, bundle: true },
      ...{ format: 'esm', platform: 'node', target: 'node20', mainFields: ['module', 'main'], logLevel: 'error' },
    });
  }
  return bundled;
}
