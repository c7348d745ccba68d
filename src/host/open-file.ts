import { closeSync, constants, openSync, readSync } from 'node:fs';

/** A link at the end of a path could be turned to another file. */
export type Links = 'followed' | 'refused';

/** Opens what may be anything: a pipe without a writer must not block us, a terminal not become ours. */
export function openToRead(path: string | Buffer, links: Links): number {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants;
  return openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (links === 'refused' ? O_NOFOLLOW : 0));
}

/** How a file begins, which tells what it is. */
export function headOf(path: string | Buffer, length: number, links: Links): Buffer {
  const descriptor = openToRead(path, links);
  try {
    const head = Buffer.alloc(length);
    return head.subarray(0, readSync(descriptor, head, 0, length, 0));
  } finally {
    closeSync(descriptor);
  }
}
