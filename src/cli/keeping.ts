import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homesOf } from '../host/folders.ts';
import type { Keeping } from '../policy/config/changes.ts';
import type { Context } from './context.ts';

/** Whether cordon.toml may say how much of what is put aside is kept. Looked for as text: what reads the file is large. */
export function mayLimitKeeping({ folders }: Context): boolean {
  if (folders.config === undefined) return false;
  try {
    return readFileSync(configOf(folders.config), 'utf8').includes('changes');
  } catch {
    return false;
  }
}

export async function keepingOf(context: Context): Promise<Keeping | undefined> {
  if (!mayLimitKeeping(context)) return undefined;
  const { readKeeping } = await import('../policy/config/changes.ts');
  return readKeeping(configOf(context.folders.config as string), homesOf(context.env).home);
}

const configOf = (folder: string) => join(folder, 'cordon.toml');
