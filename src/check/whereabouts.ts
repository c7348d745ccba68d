import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { realPathOf } from '../host/files.ts';
import { repositoryAt } from './git-index.ts';

/** Where a file's own entry lies, however its folder was spelled. A link at its end stays: it is a file of its own to git. */
export function placeOf(path: string): string {
  const full = resolve(path);
  return join(realPathOf(dirname(full)), basename(full));
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** Whether a path leads to a file in that folder, after all links; what is not there is in none. */
export function leadsInto(folder: string, path: string): boolean {
  try {
    return isInside(realpathSync(folder), realpathSync(path));
  } catch {
    return false;
  }
}

/** Who brings a repository may put links in it: what is written as a file of it, and is none, is not ours to change. */
export function strayIn(workdir: string): (path: string) => boolean {
  const root = repositoryAt(workdir)?.root ?? resolve(workdir);
  const seems = (path: string) => isInside(root, path) || isInside(realPathOf(root), path);
  return (path) => seems(resolve(path)) && !leadsInto(root, path);
}
