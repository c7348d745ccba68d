import { lstatSync, readFileSync, rmdirSync, rmSync, type Stats, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The first release made empty files and folders in the home while a sandbox ran, and listed them in a lock file. What a killed one
 * left behind is removed here, when it is unchanged and empty, and the list with it. A record: kind, device, inode, size, mtime,
 * path, NUL. A list in /tmp, where commands could write, is not believed.
 */
export function clearFirstRelease(stateFolder: string | undefined, uid = process.getuid?.()): void {
  if (uid === undefined) return;
  const shared = join(`/run/user/${uid}`, `.cordon-${uid}`);
  for (const folder of [shared, ...(stateFolder === undefined ? [] : [stateFolder])])
    clearFolder(folder, uid, folder !== stateFolder);
}

function clearFolder(folder: string, uid: number, whole: boolean): void {
  const stats = look(folder);
  if (stats?.isDirectory() !== true || stats.uid !== uid) return;
  const lock = join(folder, 'sandboxes.lock');
  const file = look(lock);
  if (file !== undefined && (!file.isFile() || file.uid !== uid || isHeld(file))) return;
  if (file !== undefined) clearListed(lock);
  quietly(() => rmSync(join(folder, 'sandboxes'), { recursive: true, force: true }));
  if (whole) quietly(() => rmdirSync(folder));
}

/** Backwards, so that a folder is empty again when its turn comes. */
function clearListed(lock: string): void {
  quietly(() => {
    for (const record of readFileSync(lock, 'latin1').split('\0').reverse()) removeUnchanged(record);
    unlinkSync(lock);
  });
}

const RECORD = /^(?:file|dir) (\d+) (\d+) (\d+) (\d+) (\/.*)$/s;

function removeUnchanged(record: string): void {
  const [, device, inode, size, modified, text = ''] = RECORD.exec(record) ?? [];
  if (device === undefined) return;
  const path = Buffer.from(text, 'latin1');
  quietly(() => {
    const now = lstatSync(path, { bigint: true });
    if (String(now.dev) !== device || String(now.ino) !== inode) return;
    if (now.isDirectory()) rmdirSync(path);
    else if (now.isFile() && now.size === 0n && size === '0' && String(now.mtimeNs) === modified) unlinkSync(path);
  });
}

/** A sandbox of the first release that still runs holds its lock, and needs what it made. */
function isHeld({ ino }: Stats): boolean {
  const locks = look('/proc/locks') === undefined ? '' : readFileSync('/proc/locks', 'latin1');
  return locks
    .split('\n')
    .some((line) => line.includes('FLOCK') && line.split(/\s+/).some((word) => word.endsWith(`:${ino}`)));
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // It may be gone, or in a folder that can't be written: the next launch tries again.
  }
}
