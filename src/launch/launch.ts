import { type ChildProcess, spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import { type Bytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { requireFolder } from '../host/folders.ts';
import { isPlan, type LaunchPlan, planText } from '../plan/plan.ts';
import { sealedEntries } from '../seal/seal.ts';
import { appendAudit } from './audit.ts';
import { Ending, relaySignals } from './ending.ts';
import { nativeLauncher } from './machine.ts';

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

/** Starts what the plan says and stays as its parent until it ends. */
export async function launchAndStay(plan: LaunchPlan): Promise<number> {
  const { child, result } = launch(plan);
  const stopRelaying = relaySignals(child);
  const { exitCode } = await result.finally(stopRelaying);
  return exitCode;
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

/** Takes the launcher's place on systems other than Linux, which have no barrier: it only filters. */
function spawnByNode(plan: LaunchPlan, options: StdioOptions): ChildProcess {
  refuseOrWarn(plan);
  const started = Date.now();
  const [name, ...args] = plan.command.argv.map(utf8);
  const child = spawn(utf8(plan.command.path), args, {
    argv0: name,
    cwd: plan.workdir,
    env: environment(plan),
    stdio: stdioOf(options),
  });
  child.once('close', (exit) =>
    appendAudit(plan.records, { isolation: 'filter', exit, duration_ms: Date.now() - started }),
  );
  return child;
}

/** On Linux a launcher that is missing is a broken installation, never a reason to start something with less around it. */
function refuseOrWarn({ name, explicit, isolation }: LaunchPlan): void {
  const linux = process.platform === 'linux';
  const problem = linux ? 'the native launcher is not there' : 'the barrier needs Linux';
  if (linux || explicit !== undefined)
    throw new CordonError('isolation', `${explicit ?? 'commands are started by the launcher'}, but ${problem}`, {
      hint: 'cordon doctor says how to get it; nothing was started',
    });
  if (isolation === 'filter') return;
  writeSync(
    2,
    `cordon: warning: ${name}: no barrier (${problem}): variables are filtered, but files and other processes stay readable\n`,
  );
}

function environment({ env }: LaunchPlan): NodeJS.ProcessEnv {
  const result = emptyEnvironment();
  for (const [name, value] of sealedEntries(env)) result[utf8(name)] = utf8(value.reveal());
  return result;
}

function utf8(bytes: Bytes): string {
  const text = textOfBytes(bytes);
  if (text !== undefined) return text;
  throw new CordonError(
    'launch',
    'a name, value or argument is not UTF-8, which only the native launcher can pass on',
    {
      hint: 'cordon doctor says how to build it',
    },
  );
}

type Channel = 'inherit' | 'pipe' | 'ignore';

export interface StdioOptions {
  readonly stdin?: Channel;
  readonly stdout?: Channel;
  readonly stderr?: Channel;
}

export function stdioOf({ stdin, stdout, stderr }: StdioOptions): [Channel, Channel, Channel] {
  return [stdin ?? 'inherit', stdout ?? 'inherit', stderr ?? 'inherit'];
}

/**
 * An environment object for node:child_process that stays what it is: no prototype to be polluted, and NODE_V8_COVERAGE taken, since
 * Node adds it from its own environment to any object without that key.
 */
export function emptyEnvironment(): NodeJS.ProcessEnv {
  return Object.assign(Object.create(null), { NODE_V8_COVERAGE: undefined }) as NodeJS.ProcessEnv;
}
