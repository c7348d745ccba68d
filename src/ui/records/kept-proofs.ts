import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../../host/files.ts';
import { replaceFile } from '../../host/whole-file.ts';

const KEPT = 10;

export const keptFolder = (stateFolder: string) => join(stateFolder, 'prove');

/** Names that sort by time. */
export const KEPT_NAME = /^\d{8}T\d{9}Z-\d+\.json$/;

/**
 * The last runs, so that a later one can be compared with them. Nobody asked for it, so a full disk or a folder that can't be written
 * is no failure of the proof.
 */
export function keepRun(stateFolder: string | undefined, date: string, report: object): void {
  if (stateFolder === undefined) return;
  const folder = keptFolder(stateFolder);
  const name = `${date.replaceAll(/[-:.]/g, '')}-${process.pid}.json`;
  try {
    ensureFolder(folder);
    replaceFile(join(folder, name), JSON.stringify(report));
    const names = readdirSync(folder).filter((one) => KEPT_NAME.test(one));
    for (const old of names.toSorted().slice(0, -KEPT)) rmSync(join(folder, old), { force: true });
  } catch {
    // Nothing is kept of this one.
  }
}
