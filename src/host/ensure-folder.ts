import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. Not mkdir's own `recursive`: on file systems that answer ENOENT to every mkdir, /proc for one, Node 20
 * goes round in it for ever.
 */
export function ensureFolder(path: string, mode = 0o700): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) ensureFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const madeMeanwhile = (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path).isDirectory();
    if (!madeMeanwhile) throw error;
  }
}
