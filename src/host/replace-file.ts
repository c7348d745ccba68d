import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Whole or not at all, also on a full disk, and never through a link that somebody put there. `ready`: what else is done to it before. */
export function replaceFile(
  path: string,
  text: string,
  mode = 0o600,
  ready: (fresh: string) => void = () => undefined,
): void {
  const fresh = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode, flush: true });
    ready(fresh);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
