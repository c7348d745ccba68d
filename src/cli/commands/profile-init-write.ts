import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { ensureFolder } from '../../host/files.ts';
import { replaceFile } from '../../host/whole-file.ts';
import { EXTENSIONS } from '../../policy/load/load.ts';

const folderFor = (config: string) => join(config, 'profiles');

export function existingProfile(config: string, name: string): string | undefined {
  return EXTENSIONS.map((extension) => join(folderFor(config), `${name}${extension}`)).find((path) => existsSync(path));
}

/** Whole or not at all, and readable by its owner only. */
export function writeProfile(config: string, name: string, text: string): string {
  const folder = folderFor(config);
  const path = join(folder, `${name}.jsonc`);
  const before = existingProfile(config, name);
  try {
    ensureFolder(folder);
    replaceFile(path, text);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CordonError('policy', `the profile cannot be written (${code})`, {
      where: path,
      hint: 'nothing was changed',
      cause,
    });
  }
  if (before !== undefined && before !== path) rmSync(before);
  return path;
}
