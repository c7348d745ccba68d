import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PLAIN_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Why a probe can't do without these programs here, or undefined: they are all there. */
export function lacking(...programs: readonly string[]): string | undefined {
  const absent = programs.find((name) => !PLAIN_PATH.some((folder) => existsSync(join(folder, name))));
  return absent === undefined ? undefined : `${absent} is not installed`;
}
