import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, writeSync } from 'node:fs';
import { bufferOfBytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { LaunchPlan } from '../plan/plan.ts';
import { seccompProgram } from '../plan/seccomp/index.ts';
import { sealedEntries } from '../seal/seal.ts';
import { appendAudit } from './audit.ts';
import { holdPlaceholders } from './placeholders.ts';
import { emptyEnvironment, type StdioOptions, stdioOf } from './spawn-options.ts';

/**
 * Takes the launcher's place where it could not be built. Bubblewrap's own init stands in for the inner process, and coreutils' env for
 * what must happen to signals. `cordon doctor` says what is missing: abstract sockets stay reachable, argv[0] is the program's path.
 */
export function spawnByNode(plan: LaunchPlan, options: StdioOptions): ChildProcess {
  const started = Date.now();
  const release = plan.isolation === 'filter' ? () => undefined : holdPlaceholders(plan);
  try {
    const isolation = reachableIsolation(plan);
    const child = isolation === 'barrier' ? spawnBarrier(plan, options) : spawnFilter(plan, options);
    child.once('close', (code) => {
      release();
      appendAudit(plan.records, { isolation, exit: code, duration_ms: Date.now() - started });
    });
    return child;
  } catch (error) {
    release();
    throw error;
  }
}

function reachableIsolation(plan: LaunchPlan): 'barrier' | 'filter' {
  if (plan.isolation === 'filter') return 'filter';
  const problem = barrierProblem(plan);
  if (problem === undefined) return 'barrier';
  if (plan.explicit !== undefined) throw noBarrier(plan.explicit, problem);
  writeSync(
    2,
    `cordon: warning: ${plan.name}: no barrier (${problem}): variables are filtered, but /proc and files stay readable; see cordon doctor\n`,
  );
  return 'filter';
}

function barrierProblem({ bwrap, sandbox }: LaunchPlan): string | undefined {
  if (bwrap === undefined) return 'bubblewrap is not installed';
  const probe = spawnSync(bwrap, [...withoutOwnInit(sandbox), '--', 'true'], {
    env: emptyEnvironment(),
    stdio: 'ignore',
  });
  return probe.status === 0 ? undefined : 'bubblewrap cannot set up its namespaces here';
}

function noBarrier(explicit: string, problem: string): CordonError {
  return new CordonError('isolation', `${explicit}, but ${problem}`, {
    hint: 'cordon doctor says how to get the barrier; nothing was started',
  });
}

function spawnFilter(plan: LaunchPlan, options: StdioOptions): ChildProcess {
  const [name, ...args] = plan.command.argv.map(utf8);
  return spawn(utf8(plan.command.path), args, {
    argv0: name,
    cwd: plan.workdir,
    env: environment(plan),
    stdio: stdioOf(options),
  });
}

/** Bubblewrap dies of a signal that is meant for the command, so it ignores them and the command gets its defaults back. */
const KEPT_FROM_BUBBLEWRAP = '=INT,QUIT,TERM,HUP,USR1,USR2';

function spawnBarrier(plan: LaunchPlan, options: StdioOptions): ChildProcess {
  const command = [utf8(plan.command.path), ...plan.command.argv.slice(1).map(utf8)];
  const seccomp = plan.arch === undefined ? [] : ['--seccomp', '3'];
  const data = plan.filesystem.data ?? [];
  const args = [
    ...[
      'env',
      `--ignore-signal${KEPT_FROM_BUBBLEWRAP}`,
      plan.bwrap as string,
      ...seccomp,
      ...withoutOwnInit(plan.sandbox),
      ...data.flatMap(({ path }, i) => ['--ro-bind-data', String(FIRST_DATA + i), path]),
      '--',
    ],
    ...['/usr/bin/env', `--default-signal${KEPT_FROM_BUBBLEWRAP}`, '--', ...limiter(plan), ...command],
  ];
  const child = spawn('/usr/bin/env', args.slice(1), {
    cwd: plan.workdir,
    env: environment(plan),
    stdio: [...stdioOf(options), 'pipe', ...data.map(() => 'pipe' as const)],
  });
  feed(child, 3, plan.arch === undefined ? Buffer.alloc(0) : Buffer.from(seccompProgram(plan.arch)));
  for (const [i, { text }] of data.entries()) feed(child, FIRST_DATA + i, bufferOfBytes(text));
  return child;
}

/** A limit that cannot be set is an error (A9). */
function limiter({ limits }: LaunchPlan): string[] {
  if (limits.length === 0) return [];
  if (existsSync(LIMITER)) return [LIMITER, ...limits.map(({ resource, value }) => `--${resource}=${value}`), '--'];
  throw new CordonError('launch', 'there is neither the native launcher nor prlimit to set resource limits with', {
    hint: 'cordon doctor says how to build the launcher; nothing was started',
  });
}

const LIMITER = '/usr/bin/prlimit';

const FIRST_DATA = 4;

function feed(child: ChildProcess, descriptor: number, bytes: Uint8Array): void {
  const pipe = child.stdio[descriptor] as NodeJS.WritableStream;
  pipe.on('error', () => undefined); // Bubblewrap that refuses early closes its end; its exit code tells.
  pipe.end(bytes);
}

function withoutOwnInit(sandbox: LaunchPlan['sandbox']): string[] {
  return sandbox.flat().filter((field) => field !== '--as-pid-1');
}

function environment({ env }: LaunchPlan): NodeJS.ProcessEnv {
  const result = emptyEnvironment();
  for (const [name, value] of sealedEntries(env)) result[utf8(name)] = utf8(value.reveal());
  return result;
}

function utf8(bytes: Parameters<typeof textOfBytes>[0]): string {
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
