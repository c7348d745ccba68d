import { closeSync, constants, fstatSync, futimesSync, openSync, readdirSync, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Bytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { replaceFile } from '../host/whole-file.ts';

/** What stood at a place when the command ended. */
export interface FileIdentity {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly device: number;
  readonly inode: string;
  readonly size: number;
  readonly mode: number;
  readonly modified: string;
  readonly changed: string;
}

export type ChangeKind = 'file' | 'folder' | 'gone' | 'link' | 'fifo' | 'socket' | 'device';

export interface Change {
  readonly path: Bytes;
  readonly kind: ChangeKind;
  readonly mode?: number;
  readonly size?: number;
  /** Where its content lies in the record; undefined where none is kept. */
  readonly at?: number;
  /** What stood there; undefined: nothing did. */
  readonly was?: FileIdentity;
  /** The real one was changed while the command ran. */
  readonly moving?: 1;
  /** The command was not shown the real one. */
  readonly unseen?: 1;
  /** It looks like a credential, so nothing of it is kept. */
  readonly credential?: 1;
  /** Where a link leads. */
  readonly target?: Bytes;
  /** The copy that the command saw instead of the real file. */
  readonly base?: number;
  readonly base_size?: number;
}

/** What one launch put aside. */
export interface ChangeRecord {
  readonly launch: string;
  readonly file: string;
  readonly time: Date;
  readonly bytes: number;
  /** What was started. */
  readonly name: Bytes;
  readonly workspace: Bytes | undefined;
  /** Files that could not be kept. */
  readonly lost: number;
  readonly changes: readonly Change[];
}

/** One that can't be read: cut short by a power cut or a full disk, or written by another version. */
export interface UnreadableRecord {
  readonly launch: string;
  readonly file: string;
  readonly time: Date;
  readonly bytes: number;
  readonly problem: string;
}

const FIRST = 'cordon-changes 1\n';
const LAST_LINE = 64;
const ID = /^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/;

/** All of them, oldest first. A record that another process removes meanwhile isn't there. */
export function readRecords(folder: string): (ChangeRecord | UnreadableRecord)[] {
  return namesIn(folder)
    .filter((name) => ID.test(name))
    .sort()
    .flatMap((name) => readRecord(join(folder, name), name) ?? []);
}

export const isReadable = (record: ChangeRecord | UnreadableRecord): record is ChangeRecord => 'changes' in record;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readRecord(file: string, launch: string): ChangeRecord | UnreadableRecord | undefined {
  return withRecord(file, (descriptor) => {
    const { size, mtime } = fstatSync(descriptor);
    const about = { launch, file, time: mtime, bytes: size };
    const first = readAt(descriptor, 0, Math.min(size, FIRST.length)).toString('latin1');
    if (/^cordon-changes \d+\n/.test(first) && first !== FIRST)
      return { ...about, problem: 'it was written by another version of Cordon' };
    const last = /^end (\d{20}) (\d{20}) +\n$/.exec(
      readAt(descriptor, Math.max(0, size - LAST_LINE), LAST_LINE).toString('latin1'),
    );
    const [at, count] = [Number(last?.[1]), Number(last?.[2])];
    if (first !== FIRST || last === null || at > size - LAST_LINE) return { ...about, problem: 'it was cut short' };
    const lines = readAt(descriptor, at, size - LAST_LINE - at)
      .toString('latin1')
      .split('\n')
      .slice(0, -1);
    const parsed = lines.length === count ? parseLines(lines) : undefined;
    return parsed === undefined ? { ...about, problem: 'it is damaged' } : { ...about, ...parsed };
  });
}

function parseLines(
  lines: readonly string[],
): Pick<ChangeRecord, 'name' | 'workspace' | 'lost' | 'changes'> | undefined {
  try {
    const all = lines.map((line) => JSON.parse(line) as unknown);
    const head = all.pop() as { name: Bytes; workspace?: Bytes; lost: number };
    const changes = (all as Change[]).filter(({ path }) => isPlainPath(path));
    return changes.length === all.length
      ? { name: head.name, workspace: head.workspace, lost: head.lost, changes }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing in it may lead elsewhere. */
const isPlainPath = (path: unknown) =>
  typeof path === 'string' &&
  /^(\/[^/\0]+)+$/.test(path) &&
  !path.split('/').some((part) => part === '.' || part === '..');

/** Undefined when it is gone. */
function withRecord<T>(file: string, read: (descriptor: number) => T): T | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readAt(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const count = readSync(descriptor, bytes, got, length - got, at + got);
    if (count === 0) break;
    got += count;
  }
  return bytes.subarray(0, got);
}

/** What the command wrote. */
export const contentOf = (record: ChangeRecord, { at, size }: Change) => part(record, at, size);

/** What the command saw before, where that was a copy of the real file. */
export const baseOf = (record: ChangeRecord, { base, base_size }: Change) => part(record, base, base_size);

function part({ file, launch }: ChangeRecord, at: number | undefined, size: number | undefined): Buffer | undefined {
  if (at === undefined || size === undefined) return undefined;
  const content = withRecord(file, (descriptor) => readAt(descriptor, at, size));
  if (content?.length === size) return content;
  throw new CordonError('changes', `what ${launch} put aside is no longer there`, {
    hint: 'cordon changes lists what is',
  });
}

/** Writes the record anew without some of its changes, so that nothing of them is left; without any it goes whole. */
export function dropChanges(record: ChangeRecord, dropped: readonly Change[]): void {
  const kept = record.changes.filter((change) => !dropped.includes(change));
  if (kept.length === 0) {
    dropRecord(record);
    return;
  }
  const contents: Buffer[] = [Buffer.from(FIRST)];
  let at = FIRST.length;
  const put = (content: Buffer) => {
    contents.push(content);
    at += content.length;
    return at - content.length;
  };
  const lines = kept.map((change) => {
    const [content, base] = [contentOf(record, change), baseOf(record, change)];
    return {
      ...change,
      ...(content === undefined ? {} : { at: put(content) }),
      ...(base === undefined ? {} : { base: put(base) }),
    };
  });
  const { launch, name, workspace, lost } = record;
  const written = [...lines, { launch, name, ...(workspace === undefined ? {} : { workspace }), lost }];
  const text = written.map((line) => `${JSON.stringify(line)}\n`).join('');
  const end = `end ${padded(at)} ${padded(written.length)}`;
  replaceRecord(record, Buffer.concat([...contents, Buffer.from(`${text}${end.padEnd(LAST_LINE - 1)}\n`, 'latin1')]));
}

const padded = (number: number) => String(number).padStart(20, '0');

/** With the time it had: how long it is kept goes by that. The name it has meanwhile is no launch's. */
const replaceRecord = ({ file, time }: ChangeRecord, content: Buffer) =>
  replaceFile(file, content, { ready: (descriptor) => futimesSync(descriptor, time, time) });

export function dropRecord({ file }: Pick<ChangeRecord, 'file'>): void {
  try {
    unlinkSync(file);
  } catch (error) {
    // Somebody else was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
