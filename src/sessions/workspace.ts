import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { isWithin } from '../host/folders.ts';

/** A folder, and how to tell that it still is the same one. */
export interface KnownFolder {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

const SYSTEM = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib64', '/boot', '/dev', '/proc', '/sys', '/run', '/var'];

/** The folder that becomes writable inside: one of its own, and nothing of Cordon's or of the home as a whole comes in with it. */
export function openWorkspace(given: string, { folders, homes }: Kept): KnownFolder {
  if (typeof given !== 'string' || given === '' || given.includes('\0')) throw refusal('', 'no folder was given');
  const path = resolve(given);
  const stats = folderAt(path, 'workspace');
  const real = realpathSync(path);
  if (real === '/' || SYSTEM.includes(real)) throw refusal(path, 'it belongs to the system');
  const inside = [folders.config, folders.state, folders.bin, ...homes]
    .map(realOrSame)
    .find((kept) => isWithin(kept, real));
  if (inside !== undefined) throw refusal(path, `${inside} is in it, which no sandbox may have as a whole`);
  const around = ownPlaces(folders)
    .map(realOrSame)
    .find((place) => isWithin(real, place));
  if (around !== undefined) throw refusal(path, `it lies in ${around}, which is Cordon's own`);
  return { path: real, device: stats.dev, inode: stats.ino };
}

interface Kept {
  readonly folders: Readonly<Record<'config' | 'state' | 'bin', string>>;
  readonly homes: readonly string[];
}

const ownPlaces = ({ config, state, bin }: Kept['folders']) => [
  join(config, 'users'),
  join(config, 'profiles'),
  state,
  bin,
];

export type FolderUse = 'workspace' | 'skill';

export function knownFolder(path: string, use: FolderUse): KnownFolder {
  const { dev, ino } = folderAt(path, use);
  return { path, device: dev, inode: ino };
}

/** What stands there at the time of a call must be what was looked at: a command may have put a link in its place. */
export function checkUnchanged({ path, device, inode }: KnownFolder, use: FolderUse): void {
  const { dev, ino } = folderAt(path, use);
  if (dev !== device || ino !== inode)
    throw refusal(path, 'another folder has taken its place since the session was opened', use);
}

function folderAt(path: string, use: FolderUse): Stats {
  const stats = lookAt(path, use);
  if (stats === undefined) throw refusal(path, 'it is not there', use);
  if (stats.isSymbolicLink()) throw refusal(path, 'it is a symbolic link', use);
  if (!stats.isDirectory()) throw refusal(path, 'it is no folder', use);
  return stats;
}

function lookAt(path: string, use: FolderUse): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw refusal(path, `it cannot be looked at (${(error as NodeJS.ErrnoException).code})`, use);
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : resolve(realOrSame(dirname(path)), path.slice(dirname(path).length + 1));
  }
}

function refusal(path: string, why: string, use: FolderUse = 'workspace'): CordonError {
  return new CordonError(
    'session',
    `this cannot be ${use === 'skill' ? 'a skill' : 'the workspace'} of a session: ${why}`,
    {
      where: path === '' ? undefined : path,
      hint: 'give the real path of a folder that is there for this',
    },
  );
}
