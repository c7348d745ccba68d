import {
  type BigIntStats,
  closeSync,
  constants,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { type Bytes, bufferOfBytes, bytesOfBuffer, showBytes } from '../host/bytes.ts';
import { quietly, reading, realBytesOf } from '../host/files.ts';
import { replaceFile } from '../host/whole-file.ts';
import { carriedOver } from './diff.ts';
import { baseOf, type Change, type ChangeRecord, contentOf, type FileIdentity } from './record.ts';

export interface Applied {
  readonly change: Change;
  readonly outcome: 'applied' | 'same' | 'refused';
  /** Why it was refused. */
  readonly why?: string;
}

export interface ApplyOptions {
  /** Also what was changed since. */
  readonly force: boolean;
}

/**
 * Takes changes over into the real files, each in one step: a file is whole, old or new, at any moment. The way to it is walked from `/` by
 * descriptors and never through a link, since whoever ran may have made one since.
 */
export function applyChanges(record: ChangeRecord, changes: readonly Change[], options: ApplyOptions): Applied[] {
  const modes = new Map(
    record.changes.flatMap(({ kind, path, mode }) => (kind === 'folder' ? [[path, mode ?? 0o755]] : [])),
  );
  const ordered = [
    ...changes.filter(({ kind }) => kind !== 'gone'),
    ...deepestFirst(changes.filter(({ kind }) => kind === 'gone')),
  ];
  return ordered.map((change) => {
    try {
      return { change, ...applyOne(record, change, modes, options) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (error instanceof Refusal) return { change, outcome: 'refused', why: error.message };
      if (code === undefined) throw error;
      return { change, outcome: 'refused', why: REASONS[code] ?? code };
    }
  });
}

class Refusal extends Error {}
class Missing extends Refusal {}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; the old file is as it was',
  EDQUOT: 'the quota is used up; the old file is as it was',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTEMPTY: 'the folder is not empty: something was added since',
  ENAMETOOLONG: 'its name is too long',
};

const deepestFirst = (changes: readonly Change[]) =>
  [...changes].sort((one, other) => other.path.split('/').length - one.path.split('/').length);

type Outcome = Pick<Applied, 'outcome'>;

function applyOne(
  record: ChangeRecord,
  change: Change,
  modes: ReadonlyMap<string, number>,
  { force }: ApplyOptions,
): Outcome {
  if (change.kind === 'gone') return removeIt(change, force);
  if (change.kind === 'folder') return within(change.path, modes, (place) => makeFolder(place, change));
  if (change.kind !== 'file') throw new Refusal(`a ${change.kind} is never applied`);
  if (change.credential) throw new Refusal('it looks like a credential, so its content was not kept');
  const content = contentOf(record, change) ?? Buffer.alloc(0);
  const base = baseOf(record, change);
  return within(change.path, modes, (place) => replace(place, change, { content, base, force }));
}

/** Where the folder it lay in is gone, so is it. */
function removeIt(change: Change, force: boolean): Outcome {
  try {
    return within(change.path, undefined, (place) => remove(place, change, force));
  } catch (error) {
    if (error instanceof Missing) return { outcome: 'same' };
    throw error;
  }
}

// ── the way there ──

/** A name in a folder that is held open. */
interface Place {
  readonly path: Buffer;
}

/** Linux has one value for it on all machines Node runs on; Node has no name for it. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

function within(path: Bytes, modes: ReadonlyMap<string, number> | undefined, act: (place: Place) => Outcome): Outcome {
  const parts = path.split('/').slice(1);
  const name = bufferOfBytes(parts.pop() as Bytes);
  let folder = openSync('/', O_PATH | O_DIRECTORY);
  try {
    for (const [i, part] of parts.entries()) {
      const next = step(folder, part as Bytes, modes?.get(`/${parts.slice(0, i + 1).join('/')}`));
      closeSync(folder);
      folder = next;
    }
    return act({ path: Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), name]) });
  } finally {
    closeSync(folder);
  }
}

/** `mode`: of a folder that the command made, which is made here too when it is on the way. */
function step(folder: number, name: Bytes, mode: number | undefined): number {
  const path = Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), bufferOfBytes(name)]);
  const enter = () => openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    return enter();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ELOOP') throw new Refusal('a folder on the way to it is a link or a file now');
    if (code !== 'ENOENT' || mode === undefined)
      throw code === 'ENOENT' ? new Missing('the folder it lies in is gone') : error;
    mkdirSync(path, mode & 0o777);
    return enter();
  }
}

const statOf = ({ path }: Place): BigIntStats | undefined => lstatSync(path, { bigint: true, throwIfNoEntry: false });

// ── whether it may be ──

function isAsItWas(was: FileIdentity, now: BigIntStats): boolean {
  return (
    now.dev === BigInt(was.device) &&
    now.ino === BigInt(was.inode) &&
    now.size === BigInt(was.size) &&
    now.mtimeNs === BigInt(was.modified) &&
    now.ctimeNs === BigInt(was.changed)
  );
}

function checkUnchanged({ was, moving, unseen }: Change, now: BigIntStats | undefined, force: boolean): void {
  if (force) return;
  if (was === undefined && now !== undefined) throw new Refusal('something is there now that was not');
  if (was !== undefined && now === undefined) throw new Refusal('the real one is gone since');
  if (was !== undefined && now !== undefined && !isAsItWas(was, now))
    throw new Refusal('the real one has changed since');
  if (moving) throw new Refusal('the real one was changed while the command ran');
  if (unseen) throw new Refusal('the command was not shown the real one');
}

// ── doing it ──

interface Replacement {
  readonly content: Buffer;
  readonly base: Buffer | undefined;
  readonly force: boolean;
}

function replace(place: Place, change: Change, { content, base, force }: Replacement): Outcome {
  const now = statOf(place);
  if (now?.isSymbolicLink() === true) throw new Refusal(linkSaying(place));
  if (now !== undefined && !now.isFile()) throw new Refusal('what is there now is no regular file');
  const real = now === undefined ? undefined : readReal(place);
  const wanted = base === undefined || real === undefined ? content : carriedOver(real, base, content);
  if (wanted === undefined)
    throw new Refusal('the command saw a shortened copy of it; take its lines over by hand from cordon changes diff');
  if (real?.equals(wanted) === true) return { outcome: 'same' };
  checkUnchanged(change, now, force);
  replaceFile(place.path, wanted, {
    // The old one, or the command's without what gives somebody else's rights.
    mode: now === undefined ? (change.mode ?? 0o644) & 0o777 : Number(now.mode) & 0o7777,
    ready: (descriptor) => keepOwner(descriptor, now),
    last: () => {
      const still = statOf(place);
      if (still?.ino !== now?.ino || still?.mtimeNs !== now?.mtimeNs)
        throw new Refusal('the real one is being changed');
    },
  });
  return { outcome: 'applied' };
}

/** Never through a link; but whoever names where it leads, says so. */
function linkSaying({ path }: Place): string {
  const target = leadOf(path);
  return target === undefined
    ? 'it is a link that leads nowhere'
    : `it is a link; to take it over where it leads, give --force and ${target}`;
}

function leadOf(path: Buffer): string | undefined {
  const real = realBytesOf(bytesOfBuffer(path));
  return real === undefined ? undefined : showBytes(real);
}

function readReal({ path }: Place): Buffer {
  return reading(path, 'refused', (descriptor, stats) => {
    if (!stats.isFile()) throw new Refusal('what is there now is no regular file');
    return readFileSync(descriptor);
  });
}

function keepOwner(descriptor: number, old: BigIntStats | undefined): void {
  if (old !== undefined && Number(old.uid) !== process.getuid?.())
    quietly(() => fchownSync(descriptor, Number(old.uid), Number(old.gid)));
}

function makeFolder(place: Place, { mode = 0o755 }: Change): Outcome {
  const now = statOf(place);
  if (now?.isDirectory() === true) return { outcome: 'same' };
  if (now !== undefined) throw new Refusal('what is there now is no folder');
  mkdirSync(place.path, mode & 0o777);
  return { outcome: 'applied' };
}

function remove(place: Place, change: Change, force: boolean): Outcome {
  const now = statOf(place);
  if (now === undefined) return { outcome: 'same' };
  if (now.isDirectory() !== (change.was?.kind === 'folder')) throw new Refusal('the real one has changed since');
  if (now.isDirectory()) {
    rmdirSync(place.path);
    return { outcome: 'applied' };
  }
  if (!now.isFile() && !force) throw new Refusal('what is there is no regular file');
  checkUnchanged(change, now, force);
  unlinkSync(place.path);
  return { outcome: 'applied' };
}
