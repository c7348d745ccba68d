import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import type { Skill } from '../types.ts';
import { readDocument } from './document.ts';
import { checkFolder, entryScript, refusal } from './folder.ts';

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
