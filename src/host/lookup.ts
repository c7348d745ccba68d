import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfText, showBytes } from './bytes.ts';
import { CordonError, EXIT } from './errors.ts';
import type { ParentEnv } from './parent-env.ts';

/** The file a command name stands for on the parent's PATH, as a shell would find it: 127 when there is none, 126 when it can't be run. */
export function findCommand(name: Bytes, env: ParentEnv, skip: (folder: string) => boolean = () => false): Bytes {
  if (name.includes('/')) return runnable(name, name);
  const folders = searchFolders(env).filter((folder) => !skip(folder));
  const candidates = folders.map((folder) => join(folder === '' ? '.' : folder, name) as Bytes);
  const found = candidates.find(isRunnable) ?? candidates.find(isFile);
  if (found !== undefined) return runnable(found, name);
  throw new CordonError('not-found', `command '${showBytes(name)}' was not found`, {
    exitCode: EXIT.notFound,
    hint: name === '' ? 'give a command after --' : `it is in none of the ${folders.length} folders of PATH`,
  });
}

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Folders are byte strings too, so that a PATH that is not UTF-8 works. */
function searchFolders(env: ParentEnv): string[] {
  return (env.get(bytesOfText('PATH')) ?? DEFAULT_PATH).split(delimiter);
}

function runnable(path: Bytes, name: Bytes): Bytes {
  if (isRunnable(path)) return path;
  const missing = statOrUndefined(path) === undefined;
  throw new CordonError(
    missing ? 'not-found' : 'not-runnable',
    `'${showBytes(name)}' ${missing ? 'was not found' : 'cannot be run'}`,
    {
      exitCode: missing ? EXIT.notFound : EXIT.notRunnable,
      hint: missing ? undefined : `${showBytes(path)} is not an executable file; chmod +x it if it should be`,
    },
  );
}

const statOrUndefined = (path: Bytes) => statSync(bufferOfBytes(path), { throwIfNoEntry: false });

function isFile(path: Bytes): boolean {
  try {
    return statOrUndefined(path)?.isFile() === true;
  } catch {
    return false;
  }
}

function isRunnable(path: Bytes): boolean {
  // Most folders don't have it, and a failure that is thrown costs more than the look itself.
  if (!isFile(path)) return false;
  try {
    accessSync(bufferOfBytes(path), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
