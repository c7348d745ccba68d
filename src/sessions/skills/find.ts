import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { shellWord } from '../../host/shell-word.ts';
import type { Skill } from '../types.ts';
import { readDocument } from './document.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,58}$/;
const DOCUMENT = 'SKILL.md';

/** The skills of all folders, by name. Two that would be one tool are an error, wherever they are. */
export async function findSkills(folders: readonly string[]): Promise<readonly Skill[]> {
  const found = folders.flatMap((folder) => skillFolders(resolve(folder)));
  const skills = await Promise.all([...new Set(found)].map(readSkill));
  refuseTwice(skills);
  return skills.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A folder of skills, or one skill by itself. */
function skillFolders(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined)
    throw new CordonError('skill', 'this folder of skills is not there', { where: folder, hint: 'check the path' });
  const real = realpathSync(folder);
  if (has(real, DOCUMENT)) return [real];
  const names = readdirSync(real).filter((name) => !name.startsWith('.'));
  return names.map((name) => join(real, name)).filter(isSkill);
}

function isSkill(path: string): boolean {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink() && has(path, DOCUMENT)) throw refusal(path, 'is a link', 'put a copy in its place');
  return stats.isDirectory() && has(path, DOCUMENT);
}

function has(folder: string, name: string): boolean {
  try {
    return lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

async function readSkill(folder: string): Promise<Skill> {
  const name = basename(folder);
  if (!NAME.test(name)) throw refusal(folder, 'has no name a tool can have', 'letters, digits, - and _, at most 59');
  checkFolder(folder);
  const { description, body } = await readDocument(join(folder, DOCUMENT));
  const script = entryScript(folder);
  const common = { name, toolName: toolNameOf(name), description, folder, body };
  return script === undefined ? { ...common, kind: 'instructions' } : { ...common, kind: 'script', script };
}

const toolNameOf = (name: string) => `skill_${name.replaceAll('-', '_')}`;

function refuseTwice(skills: readonly Skill[]): void {
  const seen = new Map<string, Skill>();
  for (const skill of skills) {
    const other = seen.get(skill.toolName);
    if (other !== undefined)
      throw new CordonError(
        'skill',
        `two skills would be the tool ${skill.toolName}: ${other.folder} and ${skill.folder}`,
        {
          hint: 'rename one of them',
        },
      );
    seen.set(skill.toolName, skill);
  }
}

const SCRIPT_EXTENSIONS = ['.py', '.sh', '.bash'];
const MOST_ENTRIES = 10_000;
const OTHERS_WRITE = 0o002;

/** Refuses what leads out of the folder, and what anybody could change: scripts run with the secrets of a user. */
function checkFolder(folder: string): void {
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
    throw refusal(path, 'can be written by anybody', `look at it, then: chmod o-w ${shellWord(path)}`);
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
function entryScript(folder: string): string | undefined {
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

function refusal(path: string, what: string, hint: string): CordonError {
  return new CordonError('skill', `this skill cannot be used: ${path} ${what}`, { where: path, hint });
}
