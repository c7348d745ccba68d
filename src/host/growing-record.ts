import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs';
import { openToRead } from './files.ts';

/** Where a file that only grows was read up to. */
interface RecordPlace {
  readonly inode: bigint;
  readonly offset: number;
}

/** A line as text, or, when it is longer than any record should be, its length and how it begins. */
export type Line = { readonly text: string } | { readonly bytes: number; readonly head: string };

/** There was no such file. */
const ABSENT: RecordPlace = { inode: 0n, offset: 0 };

const LONGEST_LINE = 1 << 20;
const PIECE = 1 << 18;
const HEAD = 200;

/** A record of lines with the rotated file before it, read only where it grew. */
export class GrowingRecord {
  readonly #file: string;
  #rotated: RecordPlace | undefined;
  #current: RecordPlace | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Lines are appended, so what is known stays; when a file was rotated or replaced, all of it is forgotten and read anew. */
  refresh(take: (line: Line) => void, forget: () => void): void {
    const rotated = `${this.#file}.1`;
    if (!isContinued(rotated, this.#rotated) || !isContinued(this.#file, this.#current)) {
      [this.#rotated, this.#current] = [undefined, undefined];
      forget();
    }
    this.#rotated = readNewLines(rotated, this.#rotated, take) ?? ABSENT;
    this.#current = readNewLines(this.#file, this.#current, take) ?? ABSENT;
  }

  /** For who has shown what there was: only what is new, the rest of a file that was rotated since included. */
  follow(take: (line: Line) => void): void {
    const rotated = lstatSync(`${this.#file}.1`, { bigint: true, throwIfNoEntry: false });
    if (this.#current !== undefined && rotated?.ino === this.#current.inode) {
      this.#rotated = readNewLines(`${this.#file}.1`, this.#current, take) ?? ABSENT;
      this.#current = ABSENT;
    }
    this.#current = readNewLines(this.#file, this.#current, take) ?? ABSENT;
  }
}

/**
 * The whole lines that were added since the last look. The last one may be half written: it is left for the next look. A file that was
 * replaced or became shorter is read from its beginning.
 */
function readNewLines(
  path: string,
  since: RecordPlace | undefined,
  take: (line: Line) => void,
): RecordPlace | undefined {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return undefined;
  try {
    const { ino, size } = fstatSync(descriptor, { bigint: true });
    const isSame = since?.inode === ino && since.offset <= Number(size);
    return { inode: ino, offset: readLines(descriptor, isSame ? since.offset : 0, take) };
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the file is the one that was read, with nothing of it taken away. One that has only now come says nothing new about the past. */
function isContinued(path: string, since: RecordPlace | undefined): boolean {
  if (since === undefined) return false;
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return since === ABSENT;
  return found.ino === since.inode && Number(found.size) >= since.offset;
}

function openIfThere(path: string): number | undefined {
  try {
    const descriptor = openToRead(path, 'refused');
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    return undefined;
  } catch {
    return undefined;
  }
}

/** Gives back where the last whole line ended. A line that is too long is passed over without being held. */
function readLines(descriptor: number, from: number, take: (line: Line) => void): number {
  const piece = Buffer.alloc(PIECE);
  let [position, lineStart] = [from, from];
  let begun: Buffer[] = [];
  let held = 0;
  for (let count = 1; count > 0; position += count) {
    count = readSync(descriptor, piece, 0, PIECE, position);
    let start = 0;
    for (let end = piece.indexOf(10, 0); end !== -1 && end < count; end = piece.indexOf(10, start)) {
      takeLine([...begun, piece.subarray(start, end)], position + end - lineStart, take);
      begun = [];
      held = 0;
      start = end + 1;
      lineStart = position + start;
    }
    if (held <= LONGEST_LINE && start < count) begun.push(Buffer.from(piece.subarray(start, count)));
    held += count - start;
  }
  return lineStart;
}

function takeLine(parts: readonly Buffer[], bytes: number, take: (line: Line) => void): void {
  if (bytes === 0) return;
  const text = Buffer.concat(parts);
  if (bytes <= LONGEST_LINE) take({ text: text.toString('utf8') });
  else take({ bytes, head: text.toString('utf8', 0, HEAD) });
}
