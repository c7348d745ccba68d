import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../../host/files.ts';
import { fateOf, ownMark } from '../../sessions/owner.ts';

export const servicesFolder = (stateFolder: string) => join(stateFolder, 'serve');

/** Says in the state folder where this server listens, for `cordon ui`, until the result is called. Nothing depends on it. */
export function announce(stateFolder: string | undefined, address: string): () => void {
  if (stateFolder === undefined) return () => undefined;
  const file = join(servicesFolder(stateFolder), `${ownMark()}.json`);
  try {
    ensureFolder(servicesFolder(stateFolder));
    rmSync(file, { force: true });
    writeFileSync(file, `${JSON.stringify({ address, started: new Date().toISOString() })}\n`, {
      flag: 'wx',
      mode: 0o600,
    });
  } catch {
    // It serves all the same.
  }
  return () => rmSync(file, { force: true });
}

/** Whether this file was written by a server that runs here: one that was killed could not take it back. */
export function isOfRunning(fileName: string): boolean {
  return fileName.endsWith('.json') && fateOf(fileName.slice(0, -'.json'.length)) === 'running';
}
