import { statSync } from 'node:fs';
import { CordonError } from './errors.ts';

/** Where this process works. A shell may stand in a folder that was removed meanwhile. */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new CordonError('workdir', 'the working folder is gone: it was removed, or may not be entered any more', {
      cause,
      hint: 'go to a folder that exists, for example: cd ~',
    });
  }
}

/** A command is started in a folder that is there: the system would say that the program is missing. */
export function requireFolder(workdir: string, hint: string): void {
  const found = statSync(workdir, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? 'does not exist' : 'is no folder';
  throw new CordonError('workdir', `the working folder '${workdir}' ${what}`, { hint });
}
