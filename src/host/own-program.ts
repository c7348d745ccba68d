import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfText, showBytes, textOfBytes, wordsIn } from './bytes.ts';
import { CordonError, EXIT } from './errors.ts';
import { realBytesOf } from './files.ts';
import { findCommand, homesOf, isWithin } from './folders.ts';
import type { ParentEnv } from './parent-env.ts';

/**
 * The file of a program that Cordon starts by itself, outside of any sandbox: a password manager, bubblewrap. It is taken only from
 * where programs are installed, never from a place that a command can write now or could in an earlier launch, in whatever project.
 * The native front holds the same rule for the planner (native/src/trusted.c).
 */
export function findOwnProgram(name: Bytes, env: ParentEnv, workdirs: readonly string[]): Bytes {
  const { home, passwdHome } = homesOf(env);
  const homes = [home, passwdHome].flatMap((one) => one ?? []);
  const refused: string[] = [];
  const refuse = (path: Bytes) => {
    const why = existsSync(bufferOfBytes(path)) ? whyCommandsCouldWrite(path, workdirs, homes) : undefined;
    if (why !== undefined) refused.push(`${showBytes(path)} (${why})`);
    return why !== undefined;
  };
  if (name.includes('/') && refuse(name)) throw untrusted(name, refused);
  try {
    return findCommand(name, env, (folder) => !folder.startsWith('/') || refuse(join(folder, name) as Bytes));
  } catch (error) {
    throw refused.length === 0 ? error : untrusted(name, refused);
  }
}

/** What every system has, and no ordinary user writes. */
const SYSTEM_PATH = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * The PATH of a program that Cordon starts by itself, which starts others by their names: of the caller's folders those from which
 * Cordon would take a program too. With the whole of it a `crun` that a command put in its workspace's .venv would be started by podman.
 * The native front has the same for what it begins (native/src/trusted.c).
 */
export function trustedPath(env: ParentEnv, workdirs: readonly string[]): string {
  const { home, passwdHome } = homesOf(env);
  const roots = workdirs.flatMap(writableRoots);
  const homes = realHomes([home, passwdHome].flatMap((one) => one ?? []));
  const isTrusted = (folder: Bytes) => {
    const real = folder.startsWith('/') ? realBytesOf(folder) : undefined;
    if (real === undefined || whyWritable(real, roots) !== undefined) return false;
    return whyNotInstalled(join(real, 'any') as Bytes, homes) === undefined;
  };
  const folders = (env.get(bytesOfText('PATH')) ?? '').split(delimiter) as Bytes[];
  const trusted = folders.flatMap((folder) => (isTrusted(folder) ? (textOfBytes(folder) ?? []) : []));
  return (trusted.length === 0 ? SYSTEM_PATH : trusted).join(delimiter);
}

/** The kind of the error that names what was found and not taken. */
export const UNTRUSTED = 'untrusted';

function untrusted(name: Bytes, refused: readonly string[]): CordonError {
  return new CordonError(
    UNTRUSTED,
    `'${showBytes(name)}' was found only where a command can write: ${refused.join(', ')}`,
    {
      exitCode: EXIT.notFound,
      hint: 'install it where programs are, as /usr/local/bin or ~/.local/bin, outside of every project',
    },
  );
}

/** The native rule has the same three lists (native/src/installed.c). Folders of the machine in which programs are installed; no command writes there. */
const INSTALLED = ['/usr', '/bin', '/sbin', '/opt', '/nix', '/gnu', '/snap', '/var/lib', '/home/linuxbrew'];
/** Visible folders of a home in which programs are installed; of the others each may have been a workspace once. */
const INSTALLED_IN_HOME = ['bin', 'go', 'miniconda3', 'anaconda3', 'miniforge3', 'mambaforge'];
/** Hidden folders of a home that are repositories because their installer clones itself; any other repository may be somebody's work. */
const CLONED_IN_HOME = wordsIn(
  '.nvm .pyenv .rbenv .nodenv .goenv .jenv .phpenv .plenv .swiftenv .tfenv .asdf .fzf .linuxbrew',
);

/**
 * Why a command may have put this program where it is, now or in an earlier launch, undefined when none can: what goes by its name
 * alone, as a known agent does, must not be a command's own.
 */
export function whyCommandsCouldWrite(
  path: Bytes,
  workdirs: readonly string[],
  homes: readonly string[],
): string | undefined {
  const roots = workdirs.flatMap(writableRoots);
  const real = realBytesOf(path);
  if (real === undefined) return 'it cannot be looked at';
  const above = realBytesOf(dirname(path) as Bytes) ?? real;
  const known = realHomes(homes);
  return (
    whyUntrusted(path, roots) ??
    whyNotInstalled(join(above, basename(path)) as Bytes, known) ??
    whyNotInstalled(real, known)
  );
}

const realHomes = (homes: readonly string[]) =>
  homes.flatMap((home) => realBytesOf(bytesOfText(home)) ?? []).filter((home) => home !== '/');

function whyNotInstalled(path: Bytes, homes: readonly Bytes[]): string | undefined {
  const home = homes.find((one) => isWithin(path, one));
  const [first = ''] = home === undefined ? [] : path.slice(home.length + 1).split('/');
  if (home === undefined && !INSTALLED.some((folder) => isWithin(path, folder)))
    return 'no place where programs are installed';
  if (home !== undefined && !first.startsWith('.') && !INSTALLED_IN_HOME.includes(first))
    return 'no place where programs are installed';
  const clone = home !== undefined && CLONED_IN_HOME.includes(first) ? join(home, first) : undefined;
  for (let folder = dirname(path); folder !== '/' && folder !== home; folder = dirname(folder))
    if (folder !== clone && gitOf(folder) !== undefined) return `in the repository ${showBytes(folder as Bytes)}`;
  return undefined;
}

const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];

const gitOf = (folder: string) => lstatSync(bufferOfBytes(join(folder, '.git') as Bytes), { throwIfNoEntry: false });

/** The working folder and the repository it belongs to. A submodule or a worktree has a file for a .git, and more above it. */
function writableRoots(workdir: string): Bytes[] {
  const start = realBytesOf(bytesOfText(workdir));
  if (start === undefined) return [];
  const roots = [start];
  for (let folder = start; folder !== '/'; folder = dirname(folder) as Bytes) {
    const git = gitOf(folder);
    if (git !== undefined) roots.push(folder);
    if (git?.isDirectory() === true) break;
  }
  return roots.filter((root) => root !== '/'); // Whoever works in / works nowhere in particular.
}

/** Both the folder that PATH names and the one a link leads to. */
function whyUntrusted(path: Bytes, roots: readonly Bytes[]): string | undefined {
  const file = realBytesOf(path);
  const folder = realBytesOf(dirname(path) as Bytes);
  if (file === undefined || folder === undefined) return 'it cannot be looked at';
  return whyWritable(folder, roots) ?? whyWritable(file, roots);
}

function whyWritable(path: Bytes, roots: readonly Bytes[]): string | undefined {
  const root = roots.find((one) => isWithin(path, one));
  if (root !== undefined) return `below the working folder's ${showBytes(root)}`;
  const temporary = TEMPORARY.find((one) => isWithin(path, realBytesOf(bytesOfText(one)) ?? bytesOfText(one)));
  if (temporary !== undefined) return `below ${temporary}`;
  for (let part = path; part !== '/'; part = dirname(part) as Bytes)
    if (isOpen(statSync(bufferOfBytes(part)))) return `others may write ${showBytes(part)}`;
  return undefined;
}

function isOpen({ mode, uid, gid }: Stats): boolean {
  if ((mode & 0o002) !== 0) return true;
  return (mode & 0o020) !== 0 && !isOwnGroup(uid, gid) && !isSystemGroup(uid, gid);
}

/** Many systems give each user a group of their own, of the same number, which counts as the user. */
const isOwnGroup = (uid: number, gid: number) => uid !== 0 && uid === process.geteuid?.() && gid === uid;

/** The system gives some folders to a group, as /usr/local to `staff`: that is no matter where this user is not in it. */
const isSystemGroup = (uid: number, gid: number) => uid === 0 && process.getgroups?.().includes(gid) === false;
