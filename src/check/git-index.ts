import { dirname, join, resolve } from 'node:path';
import { startOf } from './read.ts';

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

/** Undefined for what is not a regular file, or larger than any of git's own. */
function read(path: string, most?: number): Buffer | undefined {
  const start = startOf(path, most);
  return start?.whole === true ? start.data : undefined;
}

function trackedIn(gitDir: string, commonDir: string): ReadonlySet<string> {
  const sha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(read(join(commonDir, 'config'))?.toString() ?? '');
  const index = read(join(gitDir, 'index'), LARGEST_INDEX);
  return new Set(index === undefined ? [] : pathsOf(index, sha256 ? 32 : 20).filter(isBelowRoot));
}

/** Git writes no other paths; whoever else wrote the index may want to lead out of the repository. */
const isBelowRoot = (path: string) => path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

const FIXED_PART = 40;
const EXTENDED = 0x4000;
/** Of a path, for the system. Version 4 repeats the name before: a long one would be multiplied by every entry. */
const LONGEST_NAME = 4096;

/** https://git-scm.com/docs/index-format, versions 2 to 4. What is cut short, or no name for a file, ends the list. */
export function pathsOf(index: Buffer, idLength: number, most = LARGEST_INDEX): string[] {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return [];
  const version = index.readUInt32BE(4);
  const paths: string[] = [];
  let before = Buffer.alloc(0);
  let room = most;
  for (let at = 12, left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + FIXED_PART + idLength;
    if (flagsAt + 4 > index.length) break;
    const { nameAt, kept } = nameIn(index, { flagsAt, version, before: before.length });
    const end = index.indexOf(0, nameAt);
    const length = kept + end - nameAt;
    room -= length;
    if (end === -1 || length > LONGEST_NAME || room < 0) break;
    before = Buffer.concat([before.subarray(0, kept), index.subarray(nameAt, end)]);
    paths.push(before.toString());
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  return paths;
}

interface IndexEntry {
  readonly flagsAt: number;
  readonly version: number;
  /** The length of the name before. */
  readonly before: number;
}

/** Where an entry's name stands, and in version 4 how much of the one before it begins with. */
function nameIn(index: Buffer, { flagsAt, version, before }: IndexEntry): { nameAt: number; kept: number } {
  const nameAt = flagsAt + ((index.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
  if (version !== 4) return { nameAt, kept: 0 };
  const strip = offsetAt(index, nameAt);
  return { nameAt: strip.end, kept: Math.max(0, before - strip.value) };
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
