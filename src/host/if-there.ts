import { readdirSync, readFileSync, realpathSync } from 'node:fs';

/*
 * For what others may remove at any time, such as processes, caches and records: what is not there, or may not be read, is as good as
 * empty. Only where nothing is the safe answer.
 */

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The path itself where it leads nowhere. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
