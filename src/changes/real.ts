import { readFileSync } from 'node:fs';
import { type Bytes, bufferOfBytes } from '../host/bytes.ts';
import { reading } from '../host/files.ts';

/** A regular file as it is now; undefined where there is none that can be read. */
export function readPlain(path: Bytes): { readonly content: Buffer; readonly mode: number } | undefined {
  try {
    return reading(bufferOfBytes(path), 'refused', (descriptor, stats) =>
      stats.isFile() ? { content: readFileSync(descriptor), mode: stats.mode } : undefined,
    );
  } catch {
    return undefined;
  }
}
