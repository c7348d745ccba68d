import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openToRead } from '../host/open-file.ts';

/** A repository as its own files tell it: nothing is started, and hooks, filters and aliases of it mean nothing here. */
export interface Repository {
  readonly root: string;
  /** Where its `info/exclude` is. */
  readonly commonDir: string;
  /** Paths of tracked files, from the root. */
  readonly tracked: ReadonlySet<string>;
}

const LARGEST_INDEX = 256 * 1024 * 1024;

export function repositoryAt(folder: string): Repository | undefined {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const gitDir = gitDirOf(root);
    if (gitDir !== undefined) {
      const named = read(join(gitDir, 'commondir'))?.toString().trim();
      const commonDir = named === undefined || named === '' ? gitDir : resolve(gitDir, named);
      return { root, commonDir, tracked: trackedIn(gitDir, commonDir) };
    }
    if (root === dirname(root)) return undefined;
  }
}

/** A folder with HEAD in it, or the file of a worktree or submodule that names one. */
function gitDirOf(root: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(read(join(root, '.git'))?.toString() ?? '')?.[1];
  const folder = resolve(root, named?.trim() ?? '.git');
  return read(join(folder, 'HEAD')) === undefined ? undefined : folder;
}

/** Undefined for what is no regular file, or larger than any of git's own. */
function read(path: string): Buffer | undefined {
  try {
    const descriptor = openToRead(path, 'followed');
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() && stats.size <= LARGEST_INDEX ? readFileSync(descriptor) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function trackedIn(gitDir: string, commonDir: string): ReadonlySet<string> {
  const sha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(read(join(commonDir, 'config'))?.toString() ?? '');
  const index = read(join(gitDir, 'index'));
  return new Set(index === undefined ? [] : pathsOf(index, sha256 ? 32 : 20));
}

const FIXED_PART = 40;
const EXTENDED = 0x4000;

/** https://git-scm.com/docs/index-format, versions 2 to 4. What is cut short ends the list. */
export function pathsOf(index: Buffer, idLength: number): string[] {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return [];
  const version = index.readUInt32BE(4);
  const paths: string[] = [];
  let before = Buffer.alloc(0);
  for (let at = 12, left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + FIXED_PART + idLength;
    if (flagsAt + 4 > index.length) break;
    let nameAt = flagsAt + ((index.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      const strip = offsetAt(index, nameAt);
      nameAt = strip.end;
      kept = Math.max(0, before.length - strip.value);
    }
    const end = index.indexOf(0, nameAt);
    if (end === -1) break;
    before = Buffer.concat([before.subarray(0, kept), index.subarray(nameAt, end)]);
    paths.push(before.toString());
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  return paths;
}

/** The variable-length number of version 4, as in pack files. */
function offsetAt(index: Buffer, start: number): { value: number; end: number } {
  let at = start;
  let byte = index[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < index.length) {
    byte = index[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at };
}
