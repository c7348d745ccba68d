import { getHeapStatistics } from 'node:v8';

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

/** Collects what nobody needs any more, and writes over the places in V8's newest memory where it lay. Takes some 10 ms. */
export function collectAndOverwrite(): void {
  if (globalThis.gc === undefined) return;
  globalThis.gc();
  for (let written = 0; written < NEWEST; written += PIECE) new Array<number>(PIECE / 8).fill(0);
  globalThis.gc();
}
