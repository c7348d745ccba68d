import {
  type BigIntStats,
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/*
 * The one way to write a file that others may read meanwhile: beside its place first, then into it in one step. It is old or new at any
 * moment, also on a full disk, and never written through a link that somebody put there.
 */

type Path = string | Buffer;

interface Writing {
  /** Exactly this one, whatever the umask. */
  readonly mode?: number;
  /** What else is done to it while it is beside its place. */
  readonly ready?: (descriptor: number) => void;
}

interface Fresh {
  readonly path: Path;
  /** What `stat` will say about it in its place. */
  readonly stats: BigIntStats;
}

/** `last`: a look at what is there, right before it is replaced; an error leaves it as it is. */
export function replaceFile(
  path: Path,
  content: string | Uint8Array,
  { last = () => undefined, ...writing }: Writing & { readonly last?: () => void } = {},
): void {
  const fresh = writeBeside(path, content, writing);
  try {
    last();
    renameSync(fresh.path, path);
  } catch (error) {
    rmSync(fresh.path, { force: true });
    throw error;
  }
}

/** Never in the place of another: of several who add one, one gets true. */
export function addFile(path: string, content: string | Uint8Array): boolean {
  const fresh = writeBeside(path, content);
  try {
    linkSync(fresh.path, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(fresh.path, { force: true });
  }
}

/** For who puts several into their places together. */
export function writeBeside(path: Path, content: string | Uint8Array, { mode = 0o600, ready }: Writing = {}): Fresh {
  const fresh = nameBeside(path);
  const descriptor = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(descriptor, content);
    ready?.(descriptor);
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
    return { path: fresh, stats: fstatSync(descriptor, { bigint: true }) };
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

const FRESH = '.cordon-new-';

/** What a writer that was killed left, if nobody is writing it now. */
export const isFreshName = (name: string) => name.startsWith(FRESH);

/** No one else's, and never one that is there already; whether somebody can guess it does not matter. */
export function nameBeside(path: string): string;
export function nameBeside(path: Path): Path;
export function nameBeside(path: Path): Path {
  const name = `${FRESH}${process.pid}-${process.hrtime.bigint()}`;
  if (typeof path === 'string') return join(dirname(path), name);
  return Buffer.concat([path.subarray(0, path.lastIndexOf('/') + 1), Buffer.from(name)]);
}

/** A file's new name lasts through a loss of power only once its folder is on the disk. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
