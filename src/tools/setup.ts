import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CordonError } from '../host/errors.ts';
import { ensureFolder } from '../host/files.ts';
import { foldersOf, type Homes, homesOf } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { replaceFile } from '../host/whole-file.ts';
import { nativeLauncher, surveyMachine } from '../launch/machine.ts';
import { LAUNCHER_FOLDER } from '../plan/places/index.ts';
import type { Machine } from '../plan/plan.ts';

/** Where tool policies are kept and shims are made, and with what. */
export interface ToolSetup {
  readonly env: ParentEnv;
  readonly homes: Homes;
  /** cordon.toml */
  readonly config: string;
  readonly bin: string;
  readonly state: string;
  readonly machine: Machine;
  readonly launcher: Launcher;
}

/** The program shims are run by, or why there can be no shims. */
export type Launcher = { readonly path: string } | { readonly problem: string; readonly hint: string };

export interface Places {
  readonly config: string;
  readonly bin: string;
  readonly state: string;
}

export function toolSetup(env: ParentEnv, places: Places = placesOf(env)): ToolSetup {
  return { ...places, env, homes: homesOf(env), machine: surveyMachine(env), launcher: usableLauncher() };
}

export function placesOf(env: ParentEnv): Places {
  const { config, bin, state } = foldersOf(env);
  if (config === undefined || bin === undefined || state === undefined) {
    throw new CordonError('home', 'there is no home folder, so there is nowhere to keep tool policies', {
      hint: 'set HOME, or CORDON_HOME to a folder of your choice',
    });
  }
  return { config: join(config, 'cordon.toml'), bin, state };
}

/** The command line, without its last word, that writes a shim anew: all paths said, so that it works from anyone's environment. */
export function rebuildCommand({ config, bin, state }: Places, name: string): string[] {
  const cli = fileURLToPath(new URL('cli.js', import.meta.url));
  return [process.execPath, cli, 'tool', 'rebuild', name, config, bin, state];
}

/** The command line, without the tool's own arguments, that starts a tool in its container. */
export function startCommand({ config, bin, state }: Places, name: string): string[] {
  const program = fileURLToPath(new URL('../bin/cordon', import.meta.url));
  return [program, 'tool', 'start', name, config, bin, state];
}

function usableLauncher(): Launcher {
  const path = nativeLauncher();
  if (process.platform !== 'linux')
    return { problem: 'shims need Linux', hint: 'the policy is kept, and takes effect on a Linux machine' };
  if (path === undefined)
    return {
      problem: 'the native launcher is not built',
      hint: 'cordon doctor says how to build it; then: cordon tool apply',
    };
  const problem = interpreterProblem(path);
  return problem === undefined
    ? { path }
    : { problem, hint: 'install Cordon in a folder with a shorter path and no spaces; then: cordon tool apply' };
}

/**
 * A copy beside the shims, which outlives the package: a shim whose package is gone says so and what to do, where the kernel would say that
 * a file is missing. Where there can be none the package's own is used.
 */
export function placeLauncher({ bin }: Pick<Places, 'bin'>, packaged: string): string {
  const path = join(dirname(bin), LAUNCHER_FOLDER, 'cordon-launch');
  if (interpreterProblem(path) !== undefined) return packaged;
  try {
    if (isSame(path, packaged)) return path;
    ensureFolder(dirname(path), 0o755);
    replaceFile(path, readFileSync(packaged), { mode: 0o755 });
    return path;
  } catch {
    return packaged;
  }
}

function isSame(one: string, other: string): boolean {
  try {
    return readFileSync(one).equals(readFileSync(other));
  } catch {
    return false;
  }
}

/** How the kernel reads the first line of a script: up to 127 bytes, since Linux 5.1 up to 255, and a space ends the path. */
export function interpreterProblem(path: string, kernel = release()): string | undefined {
  if (/\s/.test(path)) return `the launcher's path has white space in it, which no #! line can hold: ${path}`;
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  const longest = major > 5 || (major === 5 && minor >= 1) ? 255 : 127;
  const length = Buffer.byteLength(`#!${path}`);
  return length > longest
    ? `the launcher's path is too long for a #! line (${length} bytes, this kernel reads ${longest}): ${path}`
    : undefined;
}
