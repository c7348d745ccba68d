import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { bytesOfText, textOfBytes } from '../host/bytes.ts';
import { homesOf } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { factsOf } from '../plan/filesystem/index.ts';
import type { Adapter } from './adapter.ts';

/** The adapter's own files that are there, wherever variables have moved their folders. */
export function ownFiles({ files }: Pick<Adapter, 'files'>, env: ParentEnv): string[] {
  const { home, passwdHome } = homesOf(env);
  const homes = [home, passwdHome].filter((folder) => folder !== undefined);
  const { moved } = factsOf(env, '/');
  const places = files.flatMap((file) => {
    if (isAbsolute(file)) return [file];
    const rest = file.slice('~/'.length);
    const elsewhere = Object.entries(moved).filter(([folder]) => rest.startsWith(`${folder}/`));
    return [
      ...homes.map((folder) => join(folder, rest)),
      ...elsewhere.map(([folder, place]) => join(place, rest.slice(folder.length))),
    ];
  });
  return [...new Set(places)].filter((path) => existsSync(path));
}

/** Files that keys of the adapter name. */
export function namedFiles(names: readonly string[], env: ParentEnv): string[] {
  return names.flatMap((name) => {
    const value = env.get(bytesOfText(name));
    const path = value === undefined ? undefined : textOfBytes(value);
    return path !== undefined && isAbsolute(path) && existsSync(path) ? [path] : [];
  });
}
