import { fileURLToPath } from 'node:url';
import { CordonError } from '../../host/errors.ts';
import { headOf } from '../../host/files.ts';

const PLACES = ['../bin/cordon', 'bin/cordon'];

/** The `cordon` that people start: in `bin` of the package, in a checkout in `dist/bin`. */
export function nativeFront(): string {
  const front = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(isNative);
  if (front !== undefined) return front;
  throw new CordonError('launcher', 'the launcher is not built here, so there is nothing to prove', {
    hint: 'cordon doctor says how to get it',
  });
}

/** Where nothing could be built a script of Node's takes its place. */
function isNative(path: string): boolean {
  try {
    return headOf(path, 4, 'followed').toString('latin1') === '\x7fELF';
  } catch {
    return false;
  }
}
