import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
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
import { shellWord } from '../host/shell-word.ts';
import { replaceFile } from '../host/whole-file.ts';
import { carriedOver } from './diff.ts';
import { baseOf, type Change, type ChangeRecord, contentOf, type FileIdentity } from './record.ts';

export interface Applied {
  readonly change: Change;
  readonly outcome: 'applied' | 'same' | 'refused';
  /** Why it was refused. */
  readonly why?: string;
  /** It would be taken over with `force`. */
  readonly forcible?: boolean;
  /** The git directory whose history it belongs to, where only the rest of that is the reason. */
  readonly history?: Bytes;
}

export interface ApplyOptions {
  /** Also what was changed since. */
  readonly force: boolean;
  /** What has to be named to be applied, and was not. */
  readonly held: readonly Change[];
}

/**
 * Takes changes over into the real files, each in one step: a file is whole, old or new, at any moment. The way to it is walked from `/` by
 * descriptors and never through a link, since whoever ran may have made one since.
 */
export function applyChanges(record: ChangeRecord, changes: readonly Change[], options: ApplyOptions): Applied[] {
  const modes = new Map(
    record.changes.flatMap(({ kind, path, mode }) => (kind === 'folder' ? [[path, mode ?? 0o755]] : [])),
  );
  const attempt = (change: Change, isTrial: boolean): Applied => {
    try {
      return { change, ...applyOne(record, change, modes, { ...options, isTrial }) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (error instanceof Refusal)
        return { change, outcome: 'refused', why: error.message, forcible: error instanceof Stale };
      if (code === undefined) throw error;
      return { change, outcome: 'refused', why: REASONS[code] ?? code };
    }
  };
  const broken = new Set<Bytes>();
  const refused = new Map<Change, Applied>();
  for (const history of halfRemoved(record, changes)) broken.add(history);
  for (const change of options.held) if (isTheIndex(change)) broken.add(historyOf(change) as Bytes);
  for (const change of changes) {
    const history = historyOf(change);
    const tried = history === undefined ? undefined : attempt(change, true);
    if (history === undefined || tried?.outcome !== 'refused') continue;
    broken.add(history);
    refused.set(change, tried);
  }
  return inOrder(changes).map((change) => {
    const history = historyOf(change);
    const known = refused.get(change);
    if (known !== undefined) return known;
    if (history !== undefined && broken.has(history) && !isNewObject(change))
      return { change, outcome: 'refused', why: TOGETHER, history };
    const result = attempt(change, false);
    // What goes wrong only now leaves the rest as it is, too; a folder that is not empty takes nothing along.
    if (history !== undefined && result.outcome === 'refused' && change.was?.kind !== 'folder') broken.add(history);
    return result;
  });
}

// ── the history of a repository ──

const TOGETHER = 'the rest of the history of its repository is not applied either';

/**
 * A ref that is removed was put into packed-refs, an object into a pack, and the index belongs to the commit that HEAD names: one without
 * the other loses branches. Undefined for what git gets along without, and for its settings.
 */
function historyOf({ path }: Change): Bytes | undefined {
  const found = /^(.*?\/\.git)\/(?:.*\/)?(?:(?:objects|refs|logs)(?:\/|$)|(?:HEAD|index|packed-refs)$)/s.exec(path);
  return found?.[1] as Bytes | undefined;
}

/** Without it the next commit would take back what the history says. */
const isTheIndex = (change: Change) => change.path.endsWith('/index') && historyOf(change) !== undefined;

/** Where a removal is among what is to be applied, and another one is not: without its HEAD a repository is none, without its refs it is empty. */
function halfRemoved(record: ChangeRecord, changes: readonly Change[]): Bytes[] {
  const chosen = new Set(changes);
  const kept = new Set(
    record.changes
      .filter((change) => change.kind === 'gone' && !chosen.has(change) && existsSync(bufferOfBytes(change.path)))
      .flatMap((change) => historyOf(change) ?? []),
  );
  return changes
    .filter(({ kind }) => kind === 'gone')
    .flatMap((change) => historyOf(change) ?? [])
    .filter((one) => kept.has(one));
}

/** It stands for itself, and nothing is lost by it. */
const isNewObject = ({ path, kind, was }: Change) =>
  kind !== 'gone' && was === undefined && /\/\.git\/(?:.*\/)?objects\//s.test(path);

/** What others lead to comes before them, and nothing goes before all is there. */
function inOrder(changes: readonly Change[]): Change[] {
  const gone = changes.filter(({ kind }) => kind === 'gone');
  const objects = changes.filter(isNewObject);
  return [
    ...objects,
    ...changes.filter((change) => change.kind !== 'gone' && !isNewObject(change)),
    ...deepestFirst(gone),
  ];
}

class Refusal extends Error {}
/** Only because the real one is not what the command saw. */
class Stale extends Refusal {}
class Missing extends Refusal {}
class NotYetMade extends Error {}

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

type ApplyOutcome = Pick<Applied, 'outcome'>;

interface ApplyAttempt extends ApplyOptions {
  /** Whether it could be done: nothing is. */
  readonly isTrial: boolean;
}

function applyOne(
  record: ChangeRecord,
  change: Change,
  modes: ReadonlyMap<string, number>,
  attempt: ApplyAttempt,
): ApplyOutcome {
  if (change.kind === 'gone') return removeIt(change, attempt);
  const way = { modes, isTrial: attempt.isTrial };
  if (change.kind === 'folder') return within(change.path, way, (place) => makeFolder(place, change, attempt));
  if (change.kind !== 'file') throw new Refusal(`a ${change.kind} is never applied`);
  if (change.credential) throw new Refusal('it looks like a credential, so its content was not kept');
  const content = contentOf(record, change) ?? Buffer.alloc(0);
  const base = baseOf(record, change);
  return within(change.path, way, (place) => replace(place, change, { content, base, ...attempt }));
}

/** Where the folder it lay in is gone, so is it. */
function removeIt(change: Change, attempt: ApplyAttempt): ApplyOutcome {
  try {
    return within(change.path, { isTrial: attempt.isTrial }, (place) => remove(place, change, attempt));
  } catch (error) {
    if (error instanceof Missing) return { outcome: 'same' };
    throw error;
  }
}

// ── the way there ──

/** A name in a folder that is held open. */
interface Destination {
  readonly path: Buffer;
}

/** Linux has one value for it on all machines Node runs on; Node has no name for it. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

interface Way {
  /** Of folders that the command made, which are made here too when they are on the way. */
  readonly modes?: ReadonlyMap<string, number>;
  readonly isTrial: boolean;
}

function within(path: Bytes, { modes, isTrial }: Way, act: (place: Destination) => ApplyOutcome): ApplyOutcome {
  const parts = path.split('/').slice(1);
  const name = bufferOfBytes(parts.pop() as Bytes);
  let folder = openSync('/', O_PATH | O_DIRECTORY);
  try {
    for (const [i, part] of parts.entries()) {
      const next = step(folder, part as Bytes, modes?.get(`/${parts.slice(0, i + 1).join('/')}`), isTrial);
      closeSync(folder);
      folder = next;
    }
    return act({ path: Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), name]) });
  } catch (error) {
    if (error instanceof NotYetMade) return { outcome: 'applied' };
    throw error;
  } finally {
    closeSync(folder);
  }
}

function step(folder: number, name: Bytes, mode: number | undefined, isTrial: boolean): number {
  const path = Buffer.concat([Buffer.from(`/proc/self/fd/${folder}/`), bufferOfBytes(name)]);
  const enter = () => openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    return enter();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ELOOP') throw new Refusal('a folder on the way to it is a link or a file now');
    if (code !== 'ENOENT' || mode === undefined)
      throw code === 'ENOENT' ? new Missing('the folder it lies in is gone') : error;
    if (isTrial) throw new NotYetMade();
    mkdirSync(path, mode & 0o777);
    return enter();
  }
}

const statOf = ({ path }: Destination): BigIntStats | undefined =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false });

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
  if (was === undefined && now !== undefined) throw new Stale('something is there now that was not');
  if (was !== undefined && now === undefined) throw new Stale('the real one is gone since');
  if (was !== undefined && now !== undefined && !isAsItWas(was, now)) throw new Stale('the real one has changed since');
  if (moving) throw new Stale('the real one was changed while the command ran');
  if (unseen) throw new Stale('the command was not shown the real one');
}

// ── doing it ──

interface Replacement extends ApplyAttempt {
  readonly content: Buffer;
  readonly base: Buffer | undefined;
}

function replace(place: Destination, change: Change, { content, base, force, isTrial }: Replacement): ApplyOutcome {
  const now = statOf(place);
  if (now?.isSymbolicLink() === true) throw new Refusal(linkSaying(place));
  if (now !== undefined && !now.isFile()) throw new Refusal('what is there now is not a regular file');
  const real = now === undefined ? undefined : readReal(place);
  const wanted = base === undefined || real === undefined ? content : carriedOver(real, base, content);
  if (wanted === undefined)
    throw new Refusal('the command saw a shortened copy of it; take its lines over by hand from cordon changes diff');
  const isSame = real?.equals(wanted) === true;
  if (isSame && hasMode(change, Number(now?.mode))) return { outcome: 'same' };
  checkUnchanged(change, now, force);
  if (isTrial) return { outcome: 'applied' };
  if (isSame) {
    changeMode(place, change);
    return { outcome: 'applied' };
  }
  replaceFile(place.path, wanted, {
    // Without what gives somebody else's rights.
    mode: now === undefined ? (change.mode ?? 0o644) & 0o777 : modeAfter(change, Number(now.mode)),
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
function linkSaying({ path }: Destination): string {
  const target = leadOf(path);
  return target === undefined
    ? 'it is a link that leads nowhere'
    : `it is a link; to take it over where it leads, give --force and ${shellWord(target)}`;
}

function leadOf(path: Buffer): string | undefined {
  const real = realBytesOf(bytesOfBuffer(path));
  return real === undefined ? undefined : showBytes(real);
}

function withReal<T>({ path }: Destination, act: (descriptor: number, mode: number) => T): T {
  return reading(path, 'refused', (descriptor, stats) => {
    if (!stats.isFile()) throw new Refusal('what is there now is not a regular file');
    return act(descriptor, stats.mode);
  });
}

const readReal = (place: Destination) => withReal(place, (descriptor) => readFileSync(descriptor));

const changeMode = (place: Destination, change: Change) =>
  withReal(place, (descriptor, mode) => fchmodSync(descriptor, modeAfter(change, mode)));

/**
 * Of a file that is there: what the command made of its mode, if anything. Others get to read or write nothing by that: a file that was
 * removed and written anew has the mode that is usual, and may hold what was for one's own eyes.
 */
function modeAfter({ mode = 0o644, was, base, unseen }: Change, old: number): number {
  const isChanged = was !== undefined && ((was.mode ^ mode) & 0o777) !== 0;
  if (!isChanged || base !== undefined || unseen) return old & 0o7777;
  return mode & 0o777 & ~(0o066 & ~old);
}

/** Whether a file of this mode is as the change would have it. */
export const hasMode = (change: Change, mode: number) => modeAfter(change, mode) === (mode & 0o7777);

function keepOwner(descriptor: number, old: BigIntStats | undefined): void {
  if (old !== undefined && Number(old.uid) !== process.getuid?.())
    quietly(() => fchownSync(descriptor, Number(old.uid), Number(old.gid)));
}

function makeFolder(place: Destination, { mode = 0o755 }: Change, { isTrial }: ApplyAttempt): ApplyOutcome {
  const now = statOf(place);
  if (now?.isDirectory() === true) return { outcome: 'same' };
  if (now !== undefined) throw new Refusal('what is there now is not a folder');
  if (!isTrial) mkdirSync(place.path, mode & 0o777);
  return { outcome: 'applied' };
}

function remove(place: Destination, change: Change, { force, isTrial }: ApplyAttempt): ApplyOutcome {
  const now = statOf(place);
  if (now === undefined) return { outcome: 'same' };
  if (now.isDirectory() !== (change.was?.kind === 'folder')) throw new Refusal('the real one has changed since');
  if (now.isDirectory()) {
    if (!isTrial) rmdirSync(place.path);
    return { outcome: 'applied' };
  }
  if (!now.isFile() && !force) throw new Stale('what is there is not a regular file');
  checkUnchanged(change, now, force);
  if (!isTrial) unlinkSync(place.path);
  return { outcome: 'applied' };
}
