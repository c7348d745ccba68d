import { type ChildProcess, spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { type Bytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { LaunchPlan } from '../plan/plan.ts';
import { sealedEntries } from '../seal/seal.ts';
import { appendAudit } from './audit.ts';
import { emptyEnvironment, type StdioOptions, stdioOf } from './spawn-options.ts';

/** Takes the launcher's place on systems other than Linux, which have no barrier: it only filters. */
export function spawnByNode(plan: LaunchPlan, options: StdioOptions): ChildProcess {
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
