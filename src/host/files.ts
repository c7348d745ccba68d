import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfBuffer } from './bytes.ts';

/** `forbidden`: nobody can tell, since a folder above it may not be entered. Links are followed; one that leads nowhere is absent. */
export function presenceOf(path: string): 'there' | 'absent' | 'forbidden' {
  try {
    statSync(path);
    return 'there';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES' || code === 'EPERM' ? 'forbidden' : 'absent';
  }
}

/** A link at the end of a path could be turned to another file. */
export type Links = 'followed' | 'refused';

/** Opens what may be anything: a pipe without a writer must not block us, a terminal not become ours. */
export function openToRead(path: string | Buffer, links: Links): number {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants;
  return openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (links === 'refused' ? O_NOFOLLOW : 0));
}

/** What is asked of the open descriptor nobody can change in between. `failed`: what is thrown when it can't be opened. */
export function reading<T>(
  path: string | Buffer,
  links: Links,
  look: (descriptor: number, stats: Stats) => T,
  failed?: (code: string) => Error,
): T {
  const descriptor = failed === undefined ? openToRead(path, links) : openedOr(failed, path, links);
  try {
    return look(descriptor, fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function openedOr(failed: (code: string) => Error, path: string | Buffer, links: Links): number {
  try {
    return openToRead(path, links);
  } catch (cause) {
    throw failed((cause as NodeJS.ErrnoException).code ?? 'unknown');
  }
}

/** How a file begins, which tells what it is. */
export function headOf(path: string | Buffer, length: number, links: Links): Buffer {
  return reading(path, links, (descriptor) => {
    const head = Buffer.alloc(length);
    return head.subarray(0, readSync(descriptor, head, 0, length, 0));
  });
}

/*
 * For what others may remove at any time, such as processes, caches and records: what is not there, or may not be read, is as good as
 * empty. Only where nothing is the safe answer.
 */

export function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** An error costs ten times as much as asking first, and most folders that are looked for are not there. */
export function namesIn(folder: string): string[] {
  return quietly(() => (existsSync(folder) ? readdirSync(folder) : [])) ?? [];
}

export function textIn(file: string): string {
  return quietly(() => readFileSync(file, 'utf8')) ?? '';
}

/** The path itself where it leads nowhere. */
export function realPathOf(path: string): string {
  return quietly(() => realpathSync(path)) ?? path;
}

/** Where a file is, or would be made: links above it are followed, and one in its own place that leads somewhere. */
export const throughLinks = (path: string) =>
  presenceOf(path) === 'there' ? realPathOf(path) : join(realPathOf(dirname(path)), basename(path));

/** Byte for byte, which only the system's own does. */
export const realBytesOf = (path: Bytes) =>
  quietly(() => bytesOfBuffer(realpathSync.native(bufferOfBytes(path), 'buffer')));

/**
 * Makes a folder and those above it. Not mkdir's own `recursive`: on file systems that answer ENOENT to every mkdir, /proc for one, Node 20
 * goes round in it for ever.
 */
export function ensureFolder(path: string, mode = 0o700): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) ensureFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const madeMeanwhile = (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path).isDirectory();
    if (!madeMeanwhile) throw error;
  }
}

/** What nobody can guess. Node loads its cryptography at the first call of this, and most launches need none. */
export const randomHex = (bytes: number) =>
  Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
