import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { bytesOfBuffer } from '../host/bytes.ts';
import { openToRead } from '../host/open-file.ts';
import { type Copies, npmrcPlaces, npmrcWithoutTokens, type PlaceFacts } from '../plan/places/index.ts';

const LARGEST = 1 << 20;

/** Settings that hold tokens among lines that programs need, with the tokens left out. */
export function settingsCopies(facts: PlaceFacts): Copies['copies'] {
  return npmrcPlaces(facts).flatMap((path) => {
    const text = textAt(path);
    return text === undefined ? [] : [{ path, text: npmrcWithoutTokens(text) as typeof text }];
  });
}

function textAt(path: string): ReturnType<typeof bytesOfBuffer> | undefined {
  try {
    const descriptor = openToRead(path, 'followed');
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() && stats.size <= LARGEST ? bytesOfBuffer(readFileSync(descriptor)) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
