import { accessSync, constants } from 'node:fs';
import { extname, join } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { headOf } from '../../host/files.ts';
import { INSIDE } from '../../plan/places/index.ts';
import type { Skill } from '../types.ts';

const INTERPRETERS: Readonly<Record<string, string>> = { '.py': 'python3', '.sh': 'sh', '.bash': 'bash' };

/** The words that start the skill inside: its own `#!` line where it can be used, else the interpreter of its extension. */
export function skillCommand(
  { name, folder, script }: Skill,
  path: readonly string[] | 'of the image',
): readonly [string, ...string[]] {
  if (script === undefined) throw notRunnable(name, 'it has instructions only', 'read them; there is no script to run');
  const inside = `${INSIDE.skills}/${name}/${script}`;
  return startsItself(join(folder, script)) ? [inside] : [interpreter(name, script, path), inside];
}

function startsItself(path: string): boolean {
  return isRunnable(path) && headOf(path, 2, 'refused').toString('latin1') === '#!';
}

/** In an image it is found by its name. */
function interpreter(name: string, script: string, path: readonly string[] | 'of the image'): string {
  const program = INTERPRETERS[extname(script)] as string;
  if (path === 'of the image') return program;
  const found = [...path, '/usr/local/bin'].map((folder) => join(folder, program)).find(isRunnable);
  if (found === undefined) throw notRunnable(name, `there is no ${program} here`, `install ${program}`);
  return found;
}

export function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function notRunnable(name: string, why: string, hint: string): CordonError {
  return new CordonError('skill', `the skill '${name}' cannot be run: ${why}`, { hint });
}
