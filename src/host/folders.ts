import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bytes, bufferOfBytes, bytesOfText, showBytes, textOfBytes } from './bytes.ts';
import { CordonError, EXIT } from './errors.ts';
import type { ParentEnv } from './parent-env.ts';

/** Where Cordon keeps its things. Undefined entries: no home folder is known, so there is nothing to read and nowhere to write. */
export interface Folders {
  readonly config: string | undefined;
  readonly bin: string | undefined;
  readonly state: string | undefined;
}

export interface Homes {
  readonly home: string | undefined;
  readonly passwdHome: string | undefined;
}

/** With CORDON_HOME everything is under it, else the XDG folders. */
export function foldersOf(env: ParentEnv): Folders {
  const own = absolute(env, 'CORDON_HOME');
  if (own !== undefined) return { config: own, bin: join(own, 'bin'), state: join(own, 'state') };
  const { home, passwdHome } = homesOf(env);
  const under = (variable: string, fallback: string, ...rest: string[]) => {
    const root = absolute(env, variable) ?? inHome(home ?? passwdHome, fallback);
    return root === undefined ? undefined : join(root, 'cordon', ...rest);
  };
  return {
    config: under('XDG_CONFIG_HOME', '.config'),
    bin: under('XDG_DATA_HOME', '.local/share', 'bin'),
    state: under('XDG_STATE_HOME', '.local/state'),
  };
}

/** The folders that `$XDG_…` name for this user, as far as the variables say so. */
export function xdgOf(env: ParentEnv): Record<string, string | undefined> {
  const names = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR'];
  return Object.fromEntries(names.map((name) => [name, absolute(env, name)]));
}

export function homesOf(env: ParentEnv): Homes {
  return { home: absolute(env, 'HOME'), passwdHome: passwdHome() };
}

/** Asked for several times in a launch, and each asking reads the system's user database. */
let known: { readonly passwdHome: string | undefined } | undefined;

function passwdHome(): string | undefined {
  known ??= { passwdHome: readPasswdHome() };
  return known.passwdHome;
}

/** A container user may have no passwd entry at all. */
function readPasswdHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    return undefined;
  }
}

function inHome(home: string | undefined, path: string): string | undefined {
  return home === undefined ? undefined : join(home, path);
}

/** The XDG specification says to ignore relative paths. */
function absolute(env: ParentEnv, name: string): string | undefined {
  const value = env.get(bytesOfText(name));
  const text = value === undefined ? undefined : textOfBytes(value);
  return text !== undefined && isAbsolute(text) ? text : undefined;
}

/** Whether a path is that folder or lies in it, as far as names tell. */
export const isWithin = (path: string, folder: string) =>
  path === folder || folder === '/' || path.startsWith(`${folder}/`);

/** Where this process works. A shell may stand in a folder that was removed meanwhile. */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new CordonError('workdir', 'the working folder is gone: it was removed, or may not be entered any more', {
      cause,
      hint: 'go to a folder that exists, for example: cd ~',
    });
  }
}

/** A command is started in a folder that is there: the system would say that the program is missing. */
export function requireFolder(workdir: string, hint: string): void {
  const found = statSync(workdir, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? 'does not exist' : 'is not a folder';
  throw new CordonError('workdir', `the working folder '${workdir}' ${what}`, { hint });
}

/** The folder of this program's files. As a script it is told; an ES module has to take its address apart, which Node makes ready first. */
export const HERE = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));

/**
 * The whole of what Cordon runs from: the folder of its package, a checkout's root, or, where it is installed beside what it depends on,
 * all of that node_modules. Whoever could write there would be Cordon at the next start.
 */
export function packageFolder(from = HERE): string {
  const folder = namedCordon(from) ?? from;
  return basename(dirname(folder)) === 'node_modules' ? dirname(folder) : folder;
}

function namedCordon(folder: string): string | undefined {
  if (nameIn(join(folder, 'package.json')) === 'cordon') return folder;
  return dirname(folder) === folder ? undefined : namedCordon(dirname(folder));
}

function nameIn(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: unknown }).name;
  } catch {
    return undefined;
  }
}

const NAMES = ['json', 'jsonc', 'toml', 'yaml', 'yml'].map((extension) => `profile.${extension}`);

/** The policy that the project around this folder carries. A home carries none: its `.cordon` would be about everything. */
export function projectProfileAt(folder: string, homes: readonly (string | undefined)[]): string | undefined {
  for (let at = folder; at !== '/' && !homes.includes(at); at = dirname(at)) {
    const own = join(at, '.cordon');
    const found = existsSync(own) ? NAMES.map((name) => join(own, name)).find((path) => existsSync(path)) : undefined;
    if (found !== undefined || existsSync(join(at, '.git'))) return found;
  }
  return undefined;
}

/** The file a command name stands for on the parent's PATH, as a shell would find it: 127 when there is none, 126 when it can't be run. */
export function findCommand(name: Bytes, env: ParentEnv, skip: (folder: string) => boolean = () => false): Bytes {
  if (name.includes('/')) return runnable(name, name);
  const folders = searchFolders(env).filter((folder) => !skip(folder));
  const candidates = folders.map((folder) => join(folder === '' ? '.' : folder, name) as Bytes);
  const found = candidates.find(isRunnable) ?? candidates.find(isFile);
  if (found !== undefined) return runnable(found, name);
  throw new CordonError('not-found', `command '${showBytes(name)}' was not found`, {
    exitCode: EXIT.notFound,
    hint: name === '' ? 'give a command after --' : `it is in none of the ${folders.length} folders of PATH`,
  });
}

/** Whether a bare word is the name of a program on the parent's PATH. */
export const isOnPath = (word: Bytes, env: ParentEnv): boolean =>
  word !== '' &&
  !word.includes('/') &&
  searchFolders(env).some((folder) => isRunnable(join(folder === '' ? '.' : folder, word) as Bytes));

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Folders are byte strings too, so that a PATH that is not UTF-8 works. */
function searchFolders(env: ParentEnv): string[] {
  return (env.get(bytesOfText('PATH')) ?? DEFAULT_PATH).split(delimiter);
}

function runnable(path: Bytes, name: Bytes): Bytes {
  if (isRunnable(path)) return path;
  const found = statOrUndefined(path);
  const missing = found === undefined;
  const hint = found?.isDirectory()
    ? `${showBytes(path)} is a folder; give the path of a command in it`
    : `${showBytes(path)} is not an executable file; chmod +x it if it should be`;
  throw new CordonError(
    missing ? 'not-found' : 'not-runnable',
    `'${showBytes(name)}' ${missing ? 'was not found' : 'cannot be run'}`,
    {
      exitCode: missing ? EXIT.notFound : EXIT.notRunnable,
      hint: missing ? undefined : hint,
    },
  );
}

const statOrUndefined = (path: Bytes) => statSync(bufferOfBytes(path), { throwIfNoEntry: false });

function isFile(path: Bytes): boolean {
  try {
    return statOrUndefined(path)?.isFile() === true;
  } catch {
    return false;
  }
}

function isRunnable(path: Bytes): boolean {
  // Most folders don't have it, and a failure that is thrown costs more than the look itself.
  if (!isFile(path)) return false;
  try {
    accessSync(bufferOfBytes(path), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
