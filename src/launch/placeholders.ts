import { mkdirSync, readdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../host/ensure-folder.ts';
import { userFolder } from '../host/user-lock.ts';
import type { LaunchPlan } from '../plan/plan.ts';

/**
 * Makes the files and folders that are to be covered although they don't exist, so that nothing can be planted there, and gives the
 * function that takes them away again. While another sandbox runs they stay: removing one would uncover it there.
 */
export function holdPlaceholders({ filesystem: { placeholders }, records }: LaunchPlan): () => void {
  for (const { kind, path, text } of placeholders)
    unlessPresent(() => (kind === 'dir' ? mkdirSync(path, 0o755) : writeFileSync(path, text ?? '', { flag: 'wx' })));
  const release = registerSandbox(records?.stateFolder);
  return () => {
    if (!release()) return;
    for (const { kind, path, text } of [...placeholders].reverse())
      tryTo(() => (kind === 'dir' ? rmdirSync(path) : removeUnchanged(path, text ?? '')));
  };
}

function removeUnchanged(path: string, text: string): void {
  if (readFileSync(path, 'utf8') === text) unlinkSync(path);
}

/** Gives a function that signs off and says whether this was the last sandbox. */
function registerSandbox(stateFolder: string | undefined): () => boolean {
  if (stateFolder === undefined) return () => false;
  const folder = join(userFolder() ?? stateFolder, 'sandboxes');
  const own = join(folder, String(process.pid));
  tryTo(() => {
    ensureFolder(folder);
    writeFileSync(own, '');
  });
  return () => {
    tryTo(() => unlinkSync(own));
    return !livingSandboxes(folder);
  };
}

function livingSandboxes(folder: string): boolean {
  try {
    return readdirSync(folder).some((pid) => isAlive(Number(pid)));
  } catch {
    return true;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function unlessPresent(make: () => void): void {
  try {
    make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // What could not be tidied up is tidied up after the next launch.
  }
}
