import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import { requireFolder } from '../host/folders.ts';
import { isPlan, type LaunchPlan } from '../plan/plan.ts';
import { planText } from '../plan/plan-text.ts';
import { Ending } from './ending.ts';
import { nativeLauncher } from './native.ts';
import { spawnByNode } from './node-executor.ts';
import { emptyEnvironment, type StdioOptions, stdioOf } from './spawn-options.ts';

/** How a launch is connected to this process, and what ends it. */
export interface LaunchOptions extends StdioOptions {
  /** Aborted: TERM, and KILL for what has not ended two seconds later. */
  readonly signal?: AbortSignal;
  /** The command gets a terminal of its own, whose output comes through stdout; stdin must be the caller's terminal. Native launcher only. */
  readonly ownTerminal?: boolean;
}

/** How the command ended. */
export interface LaunchResult {
  /** The command's own code; 128+n after death by signal n; 125, 126, 127 as documented. */
  readonly exitCode: number;
}

/** A command that runs: its process, and how it will end. */
export interface Launched {
  readonly child: ChildProcess;
  readonly result: Promise<LaunchResult>;
  /** Whether the command itself was started, as the launcher says where the command cannot: what failed before that is no result of it. */
  readonly hasStarted: () => boolean;
}

/** Starts what the plan says: the one way from Cordon to a new process. */
export function launch(plan: LaunchPlan, options: LaunchOptions = {}): Launched {
  if (!isPlan(plan)) throw new TypeError('launch takes only a plan made by plan()');
  requireFolder(plan.workdir, 'make it, or name one that is there as workdir');
  const launcher = nativeLauncher();
  const { child, hasStarted } =
    launcher === undefined
      ? { child: spawnByNode(plan, options), hasStarted: () => true }
      : spawnByLauncher(launcher, plan, options);
  const ending = new Ending(child, { signals: [options.signal] });
  const result = exitOf(child).finally(() => ending.done());
  return { child, result, hasStarted };
}

/** The launcher gets an empty environment and the plan over a pipe; it dies with this process. */
function spawnByLauncher(launcher: string, plan: LaunchPlan, options: LaunchOptions): Started {
  const child = spawn(launcher, [...(options.ownTerminal === true ? ['--pty'] : []), '--plan-fd=3'], {
    cwd: plan.workdir,
    env: emptyEnvironment(),
    stdio: [...stdioOf(options), 'pipe', ...(options.ownTerminal === true ? (['pipe'] as const) : [])],
  });
  // What relays a terminal stands between us and the launcher, and dies with us.
  const parent = options.ownTerminal === true ? child.pid : process.pid;
  return { child, hasStarted: givePlan(child, plan, parent) };
}

type Started = Pick<Launched, 'child' | 'hasStarted'>;

/** The launcher reads to the end before it does anything. On the same socket, which the command never has, it says that the command was started. */
export function givePlan(
  child: ChildProcess,
  plan: LaunchPlan,
  parent: number | undefined = process.pid,
): Launched['hasStarted'] {
  const text = planText(plan, 'with-values', parent);
  const pipe = child.stdio[3] as Duplex;
  let started = false;
  pipe.once('data', () => {
    started = true;
  });
  pipe.on('error', () => undefined); // A launcher that refuses early closes its end; its exit code tells.
  pipe.end(Buffer.from(text, 'latin1'));
  return () => started;
}

export function exitOf(child: ChildProcess): Promise<LaunchResult> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ exitCode: code ?? 128 + signalNumber(signal) }));
  });
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}
