import { join } from 'node:path';
import type { Collection } from './collect.ts';
import { isWithin } from './paths.ts';

/** Looking has a price: so many folders at most, and the nearer ones first. */
const MOST_FOLDERS = 150;
const LEVELS = 2;
const BULKY = new Set(['node_modules', 'snap', 'Downloads', 'Pictures', 'Music', 'Videos']);
const ENV_FILE = /^\.env(rc|\..+)?$/;
const HARMLESS = /\.(example|sample|template|dist|defaults?|schema)$/;

/**
 * .env and .envrc files of other projects: in the home and two folders deep. The workspace's own stay,
 * unless the workspace is the whole home.
 */
export function hideEnvFiles(into: Collection, workspace: string): void {
  let folders = into.homes.filter((home) => home !== '/');
  let left = MOST_FOLDERS;
  const spared = into.homes.some((home) => isWithin(home, workspace)) ? undefined : workspace;
  for (let level = 0; level <= LEVELS && folders.length > 0; level++) {
    const visited = folders.slice(0, left);
    if (visited.length < folders.length)
      into.notes.add(`.env files were looked for in the first ${MOST_FOLDERS} folders of the home only`);
    left -= visited.length;
    folders = visited.flatMap((folder) => visit(into, folder, spared, level < LEVELS));
  }
}

function visit(into: Collection, folder: string, spared: string | undefined, deeper: boolean): string[] {
  if (spared !== undefined && isWithin(folder, spared)) return [];
  const names = into.disk.names(folder);
  for (const name of names) {
    if (ENV_FILE.test(name) && !HARMLESS.test(name)) hideEnvFile(into, join(folder, name));
  }
  return deeper ? foldersIn(into, folder, names) : [];
}

function hideEnvFile(into: Collection, path: string): void {
  const found = into.disk.existing(path);
  if (found?.kind === 'file')
    into.coverFound(found, { access: 'hidden', speaker: 'preset', why: '.env files of other projects' });
}

function foldersIn(into: Collection, folder: string, names: ReadonlySet<string>): string[] {
  const likely = [...names].filter((name) => !name.startsWith('.') && !BULKY.has(name)).slice(0, MOST_FOLDERS);
  return likely.map((name) => join(folder, name)).filter((path) => into.disk.stat(path)?.isDirectory());
}
