import { ftruncateSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { attemptsIn, placesIn, profileOf, type Traced, traced } from '../explain/trace.ts';
import { bytesOfText, showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { ensureFolder } from '../host/files.ts';
import { homesOf } from '../host/folders.ts';
import { whyItFailed } from '../host/system-error.ts';
import { launchAndStay } from '../launch/launch.ts';
import { lookAt } from '../launch/look.ts';
import type { Prepared } from '../launch/prepare.ts';
import type { Policy } from '../policy/policy.ts';
import type { Context } from './context.ts';
import { hasFlag, lastText, type ParsedArguments, usageError } from './flags.ts';
import { wrap } from './ui/definitions.ts';

/** A new file in Cordon's own folder, which no command sees. */
export function traceFile({ folders }: Context): string {
  if (folders.state === undefined)
    throw new CordonError('trace', 'there is no state folder for the list of what is tried', { hint: 'set HOME' });
  ensureFolder(folders.state);
  const file = join(folders.state, `trace-${process.pid}-${process.hrtime.bigint()}`);
  writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  return file;
}

/** Where `--write-profile` puts it, checked before anything is started. */
export function profileFileOf(parsed: ParsedArguments): string | undefined {
  const file = lastText(parsed, '--write-profile');
  if (file === undefined) return undefined;
  if (!hasFlag(parsed, '--trace')) throw usageError('--write-profile goes with --trace', 'add --trace');
  if (!file.endsWith('.toml')) throw usageError('--write-profile writes TOML', 'give a name that ends in .toml');
  return file;
}

/** Starts the command, and tells afterwards, on stderr, what of all that it tried the policy kept away or led elsewhere. */
export async function runTraced(
  prepared: Prepared,
  policy: Policy,
  parsed: ParsedArguments,
  context: Context,
): Promise<number> {
  const file = prepared.plan.trace as string;
  const profile = profileFileOf(parsed);
  try {
    const opened = profile === undefined ? undefined : openNew(profile);
    const exitCode = await launchAndStay(prepared.plan);
    const list = await explained(readFileSync(file), prepared, policy, context);
    context.err(hasFlag(parsed, '--json') ? `${JSON.stringify(list)}\n` : traceTable(list, context));
    if (opened !== undefined) {
      ftruncateSync(opened);
      writeSync(opened, profileOf(list), 0);
      if (!hasFlag(parsed, '--json')) context.err(`cordon: the profile is in ${showText(profile ?? '')}\n`);
    }
    return exitCode;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Before the command starts, which could put a link in its way meanwhile. */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CordonError('trace', `${showText(file)} is there already`, { hint: 'name another file, or remove it' });
    throw new CordonError('trace', `${showText(file)} cannot be written: ${whyItFailed(error)}`, {
      hint: 'name a file in a folder of yours',
    });
  }
}

async function explained(list: Buffer, { plan }: Prepared, policy: Policy, { env }: Context): Promise<Traced[]> {
  const attempts = attemptsIn(list);
  const paths = placesIn(attempts);
  const request = { policy, env, workdir: plan.workdir, argv: [plan.command.path] as const };
  const looked = await lookAt(request, paths.map(bytesOfText));
  const { home, passwdHome } = homesOf(env);
  const around = { looked, filesystem: policy.filesystem, logIns: policy.logIns, home: home ?? passwdHome };
  return traced({ attempts, paths, looked, around, network: policy.network });
}

function traceTable(list: readonly Traced[], { columns }: Context): string {
  if (list.length === 0) return 'cordon: the policy kept nothing from it\n';
  const room = (columns ?? 80) - 4;
  const lines = list.flatMap(({ what, path, verdict, reason, count, change }) => [
    ...wrap(`${what} ${showText(path)}${count > 1 ? ` (${count} paths)` : ''}: ${verdict}, ${reason}`, room),
    ...(change === undefined
      ? []
      : wrap(`${change.effect}: ${showText(change.flag)}`, room - 2).map((line) => `  ${line}`)),
    ...(change?.gives === undefined
      ? []
      : wrap(`that gives away: ${change.gives}`, room - 2).map((line) => `  ${line}`)),
  ]);
  return `cordon: what the policy kept away or led elsewhere:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
