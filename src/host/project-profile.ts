import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAMES = ['json', 'jsonc', 'toml', 'yaml', 'yml'].map((extension) => `profile.${extension}`);

/** The policy that the project around this folder carries. A home carries none: its `.cordon` would be about everything. */
export function projectProfileAt(folder: string, homes: readonly (string | undefined)[]): string | undefined {
  for (let at = folder; at !== '/' && !homes.includes(at); at = dirname(at)) {
    const own = join(at, '.cordon');
    const found = existsSync(own) ? NAMES.map((name) => join(own, name)).find((path) => existsSync(path)) : undefined;
    if (found !== undefined || existsSync(join(at, '.git'))) return found;
  }
  return undefined;
}
