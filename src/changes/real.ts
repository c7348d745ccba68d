import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type Bytes, bufferOfBytes } from '../host/bytes.ts';

/** A regular file as it is now; undefined where there is none that can be read. */
export function readPlain(path: Bytes): { readonly content: Buffer; readonly mode: number } | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  let descriptor: number;
  try {
    descriptor = openSync(bufferOfBytes(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? { content: readFileSync(descriptor), mode: stats.mode } : undefined;
  } finally {
    closeSync(descriptor);
  }
}
