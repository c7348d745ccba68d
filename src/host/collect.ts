import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** So much was read since V8 last looked which buffers are still needed. */
const OFTEN_ENOUGH = 1 << 20;

let read = 0;

/**
 * What is read lies in buffers outside of V8's heap, each byte in three of them: as it was decrypted, as it came out of its message, and joined
 * with others. V8 lets 32 MB of them gather before it looks which are still needed: a download would take that much more memory, none of which
 * is in the cache of the processor any more when it is used again. To look takes 0.1 ms, and is done only where Node was started with
 * --expose-gc.
 */
export function collectAfter(bytes: number): void {
  read += bytes;
  if (read < OFTEN_ENOUGH) return;
  read = 0;
  globalThis.gc?.({ type: 'minor' });
}

/** So much more may lie in V8's heap than what was needed when it last looked. */
const MOST_LEFT = 1 << 20;

let needed = Number.POSITIVE_INFINITY;

/**
 * What a handshake leaves behind outlives the looks at what is new, and V8 lets it lie until the heap has doubled: hundreds of connections at
 * once would take half as much again. To look at all of it takes some 5 ms, for every fifty connections or so.
 */
export function collectAfterConnection(): void {
  if (globalThis.gc === undefined) return;
  const used = getHeapStatistics().used_heap_size;
  needed = Math.min(needed, used);
  if (used < needed + MOST_LEFT) return;
  globalThis.gc();
  needed = getHeapStatistics().used_heap_size;
}

/** As much as all of V8's newest memory may be (launch/outside.ts), and as much again. */
const NEWEST = 6 << 20;
const PIECE = 1 << 10;

/** The C library keeps what is freed apart by size, up to a kilobyte for each 16 bytes; what is larger it cuts into smaller ones. */
const SIZES = [
  ...[32, 24, 16, 12, 8, 6, 4, 3, 2, 1.5].map((kilobytes) => kilobytes * 1024),
  ...Array.from({ length: 62 }, (_, at) => 1032 - 16 * at),
];
/** It keeps seven at hand, and some more. */
const OF_EACH_SIZE = 16;

/**
 * Collects what nobody needs any more, and writes over the places where it lay: V8's newest memory, its older memory, which V8 itself clears
 * while that is asked for, what was freed outside of V8's heap, where Node puts together what it sends and receives, and the stack. Takes some 15 ms.
 */
export function collectAndOverwrite(): void {
  if (globalThis.gc === undefined) return;
  setFlagsFromString('--clear-free-memory');
  globalThis.gc();
  for (let written = 0; written < NEWEST; written += PIECE) new Array<number>(PIECE / 8).fill(0);
  overwriteFreed();
  overwriteStack(LEVELS);
  globalThis.gc();
  setFlagsFromString('--no-clear-free-memory');
}

/** Whoever asks for memory is given what was freed last: all of it is held until all is written over. */
function overwriteFreed(): void {
  const taken = SIZES.flatMap((size) => Array.from({ length: OF_EACH_SIZE }, () => Buffer.allocUnsafeSlow(size)));
  for (const one of taken) one.fill(0);
}

const LEVELS = 1000;

/** Node decrypts what it receives on the stack, some kilobytes deep, and leaves it there. */
function overwriteStack(levels: number): number {
  return levels === 0 ? 0 : overwriteStack(levels - 1) + 1;
}
