import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../host/files.ts';

export interface KeptPlan {
  readonly path: string;
  readonly bytes: number;
  readonly time: Date;
}

/** As native/src/kept.c has it. */
export const keptFolder = (stateFolder: string) => join(stateFolder, 'plans');

/** What came of looking through files, for the next plan (looked-through.ts). */
export const lookedThroughFile = (stateFolder: string) => join(stateFolder, 'looked-through');

const MOST = 128;

/** The plans that are kept for the next start, newest first. */
export function keptPlans(stateFolder: string): KeptPlan[] {
  const folder = keptFolder(stateFolder);
  return namesIn(folder)
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() === true ? [{ path, bytes: stats.size, time: stats.mtime }] : [];
    })
    .sort((a, b) => b.time.getTime() - a.time.getTime());
}

export function clearKeptPlans(plans: readonly KeptPlan[]): void {
  for (const { path } of plans) rmSync(path, { force: true });
}

/** Every folder and every set of flags has one of its own; those that nobody came back to go. */
export function trimKeptPlans(stateFolder: string): void {
  if (namesIn(keptFolder(stateFolder)).length > MOST) clearKeptPlans(keptPlans(stateFolder).slice(MOST / 2));
}
