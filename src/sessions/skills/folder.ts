import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { extname, join } from 'node:path';
import { CordonError } from '../../host/errors.ts';

const SCRIPT_EXTENSIONS = ['.py', '.sh', '.bash'];
const MOST_ENTRIES = 10_000;
const OTHERS_WRITE = 0o002;

/** Refuses what leads out of the folder, and what anybody could change: scripts run with the secrets of a user. */
export function checkFolder(folder: string): void {
  const real = realpathSync(folder);
  const open = [real];
  for (let seen = 0, at = open.pop(); at !== undefined; at = open.pop()) {
    for (const name of readdirSync(at)) {
      if (++seen > MOST_ENTRIES)
        throw refusal(folder, `has more than ${MOST_ENTRIES} files`, 'is it the right folder?');
      const path = join(at, name);
      const stats = lstatSync(path);
      checkEntry(path, stats, real);
      if (stats.isDirectory()) open.push(path);
    }
  }
}

function checkEntry(path: string, stats: Stats, folder: string): void {
  if (stats.isSymbolicLink()) checkLink(path, folder);
  else if ((stats.mode & OTHERS_WRITE) !== 0 && (stats.isFile() || stats.isDirectory()))
    throw refusal(path, 'can be written by anybody', `look at it, then: chmod o-w '${path}'`);
}

function checkLink(path: string, folder: string): void {
  if (`${targetOf(path) ?? ''}/`.startsWith(`${folder}/`)) return;
  throw refusal(path, 'is a link out of the skill', 'put a copy in its place');
}

function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The script that runs, relative to the folder: the only one, or of several the one called run. Undefined: instructions only. */
export function entryScript(folder: string): string | undefined {
  const scripts = scriptsOf(join(folder, 'scripts'));
  const named = scripts.filter((name) => name.slice(0, -extname(name).length) === 'run');
  const candidates = scripts.length > 1 ? named : scripts;
  const [first] = candidates;
  if (candidates.length === 1) return `scripts/${first}`;
  if (scripts.length === 0) return undefined;
  throw refusal(
    join(folder, 'scripts'),
    named.length === 0 ? 'has several scripts and none is called run' : `has more than one run: ${named.join(', ')}`,
    'call the one that is to be started run.py, run.sh or run.bash',
  );
}

function scriptsOf(folder: string): string[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return [];
  const isScript = (name: string) =>
    SCRIPT_EXTENSIONS.includes(extname(name)) && lstatSync(join(folder, name)).isFile();
  return readdirSync(folder).filter(isScript).toSorted();
}

export function refusal(path: string, what: string, hint: string): CordonError {
  return new CordonError('skill', `this skill cannot be used: ${path} ${what}`, { where: path, hint });
}
