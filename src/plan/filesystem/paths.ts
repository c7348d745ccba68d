import { dirname } from 'node:path';

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** The folders above a path, outermost first, without the root. */
export function foldersAbove(path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); folder !== '/' && folder !== '.'; folder = dirname(folder)) above.unshift(folder);
  return above;
}

export function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}
