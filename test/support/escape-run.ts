import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { cordonProgram, installedPackage } from './cordon.ts';
import { environment, type Scene } from './escape-scene.ts';
import { openFolder, ROOT } from './project.ts';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One attempt: the flags of `cordon run`, the parent's environment, who starts it, and the probe's argv. */
export interface Attempt {
  readonly scene: Scene;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What stands before the command line: a process that stays as the parent, or one that prepares something and becomes the command. */
  readonly starter: readonly string[];
  /** The starter is started by whoever runs the tests, and becomes the user itself. */
  readonly starterIsOurs?: boolean | undefined;
  readonly probe: readonly string[];
}

/** A shell that holds the environment and stays. */
export const SHELL = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'] as const;

export function throughCordon(attempt: Attempt): Promise<Outcome> {
  return ended(begin(attempt, [cordonProgram(), 'run', ...attempt.flags, '--', ...attempt.probe]));
}

/** Without Cordon: another program stands in its place. */
export function through(attempt: Attempt, program: readonly string[]): Promise<Outcome> {
  return ended(begin(attempt, [...program, ...attempt.probe]));
}

/** The plan for the same request, changed, carried out by the same launcher. */
export async function throughPlan(attempt: Attempt, change: (plan: string[]) => string[]): Promise<Outcome> {
  const plan = (await planOf(attempt)).split('\n');
  const changed = change(plan);
  if (changed.join('\n') === plan.join('\n'))
    throw new Error(`nothing was switched off in this plan:\n${plan.join('\n')}`);
  const child = begin(attempt, [join(installedPackage(), 'dist/native/cordon-launch'), '--plan-fd=3'], ['pipe']);
  (child.stdio[3] as NodeJS.WritableStream).on('error', () => undefined).end(Buffer.from(changed.join('\n'), 'latin1'));
  return ended(child);
}

async function planOf({ scene, flags, env, probe }: Attempt): Promise<string> {
  const argv = [process.execPath, planner(), ...flags, '--', ...probe];
  const { code, stdout, stderr } = await ended(begin({ scene, env, starter: [] }, argv), 'latin1');
  if (code !== 0) throw new Error(`no plan could be made: ${stderr}`);
  return stdout;
}

const OURSELVES = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };

interface Beginning extends Omit<Attempt, 'flags' | 'probe'> {
  /** Its input ends at once unless it is to stay open. */
  readonly input?: 'open';
}

export function begin(
  { scene, env, starter, starterIsOurs, input }: Beginning,
  argv: readonly string[],
  more: readonly 'pipe'[] = [],
): ChildProcess {
  const [program = '', ...args] = [...starter, ...argv];
  const { work: cwd, home: HOME } = scene;
  const { uid, gid } = starterIsOurs === true ? OURSELVES : scene;
  const child = spawn(program, args, {
    // A session of its own: what is sent to the group must not reach the tests.
    ...{ uid, gid, cwd, stdio: ['pipe', 'pipe', 'pipe', ...more], detached: true },
    env: environment({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME, ...env }),
  });
  if (input !== 'open') child.stdin?.end();
  onTestFinished(() => killGroup(child.pid));
  return child;
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

export async function ended(child: ChildProcess, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<Outcome> {
  const code = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const read = (stream: NodeJS.ReadableStream | null) => (stream === null ? '' : text(stream.setEncoding(encoding)));
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { code: await code, stdout, stderr };
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
