import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder for what all launches of one user share, whatever their HOME or CORDON_HOME says: two of them with different settings still
 * meet in the same home folder. Undefined where there is none that is this user's alone.
 */
export function userFolder(): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  return ownFolder(join('/run/user', String(uid)), uid) ?? ownFolder('/tmp', uid);
}

function ownFolder(parent: string, uid: number): string | undefined {
  const path = join(parent, `.cordon-${uid}`);
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? made(path);
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0 ? path : undefined;
}

function made(path: string): Stats | undefined {
  try {
    mkdirSync(path, 0o700);
  } catch {
    // Another launch was quicker, or it can't be: what stands there decides.
  }
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Tells whether other sandboxes of this user run, so that none removes what another one covers. */
export function sandboxLock(stateFolder: string | undefined): string | undefined {
  const folder = userFolder() ?? stateFolder;
  return folder === undefined ? undefined : join(folder, 'sandboxes.lock');
}
