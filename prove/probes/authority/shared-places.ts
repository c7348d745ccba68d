import { lstatSync, rmSync } from 'node:fs';
import type { Scene } from '../../scene.ts';

const removals = new Map<string, () => void>();
const standing = new Set<string>();

/**
 * Takes away what stands in a folder of all users when the attempt is over, and again later: an attempt beside this one that has
 * seen it and comes too late to cover it leaves an empty file or folder in its place, since bubblewrap makes what it is to mount on.
 */
export function removeAfterwards(scene: Scene, path: string, remove = () => removeAll(path)): void {
  if (removals.size === 0) process.once('exit', sweep);
  removals.set(path, remove);
  standing.add(path);
  scene.atEnd(() => {
    standing.delete(path);
    sweep();
  });
}

function sweep(): void {
  for (const [path, remove] of removals) if (!standing.has(path)) remove();
}

/** What a launch of another user left in its place is theirs, and stays. */
function removeAll(path: string): void {
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  const mayRemove = process.getuid?.() === 0 || owner === process.getuid?.();
  if (owner !== undefined && mayRemove) rmSync(path, { recursive: true, force: true });
}
