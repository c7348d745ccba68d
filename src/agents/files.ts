import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { bytesOfText, textOfBytes } from '../host/bytes.ts';
import { isWithin } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { factsOf } from '../plan/places/index.ts';

/** An adapter's places, wherever variables have moved their folders. */
export function placesOfAgent(written: readonly string[], env: ParentEnv): string[] {
  const { homes, moved } = factsOf(env);
  const places = written.flatMap((file) => {
    if (isAbsolute(file)) return [file];
    const rest = file.slice('~/'.length);
    const elsewhere = moved.filter(([folder]) => isWithin(rest, folder));
    return [
      ...homes.map((folder) => join(folder, rest)),
      ...elsewhere.map(([folder, place]) => join(place, rest.slice(folder.length))),
    ];
  });
  return [...new Set(places)];
}

/** Those of them that are there. */
export function placesThere(written: readonly string[], env: ParentEnv): string[] {
  return placesOfAgent(written, env).filter((path) => existsSync(path));
}

/** Files that keys of the adapter name. */
export function namedFiles(names: readonly string[], env: ParentEnv): string[] {
  return names.flatMap((name) => {
    const value = env.get(bytesOfText(name));
    const path = value === undefined ? undefined : textOfBytes(value);
    return path !== undefined && isAbsolute(path) && existsSync(path) ? [path] : [];
  });
}
