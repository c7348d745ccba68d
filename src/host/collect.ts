/** So much was read since V8 last looked which buffers are still needed. */
const OFTEN_ENOUGH = 4 << 20;

let read = 0;

/**
 * What is read lies in buffers outside of V8's heap, and V8 lets 32 MB of them gather before it looks which are still needed: a download
 * would take that much more memory, none of which is in the cache of the processor any more when it is used again. To look takes 0.1 ms,
 * and is done only where Node was started with --expose-gc.
 */
export function collectAfter(bytes: number): void {
  read += bytes;
  if (read < OFTEN_ENOUGH) return;
  read = 0;
  globalThis.gc?.({ type: 'minor' });
}
