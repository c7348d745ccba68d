import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The whole of what Cordon runs from: the folder of its package, a checkout's root, or, where it is installed beside what it depends on,
 * all of that node_modules. Whoever could write there would be Cordon at the next start.
 */
export function packageFolder(from = dirname(fileURLToPath(import.meta.url))): string {
  const folder = namedCordon(from) ?? from;
  return basename(dirname(folder)) === 'node_modules' ? dirname(folder) : folder;
}

function namedCordon(folder: string): string | undefined {
  if (nameIn(join(folder, 'package.json')) === 'cordon') return folder;
  return dirname(folder) === folder ? undefined : namedCordon(dirname(folder));
}

function nameIn(file: string): unknown {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: unknown }).name;
  } catch {
    return undefined;
  }
}
