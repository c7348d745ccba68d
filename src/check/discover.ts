import { type Dirent, readdirSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { EXTENSIONS } from '../policy/load/load.ts';
import { kindByName } from './recognise.ts';

export interface Whereabouts {
  readonly config: string | undefined;
  readonly workdir: string;
}

/** What `cordon check` looks at by itself: Cordon's own files, and what in the working folder may hand credentials on. */
export function discover({ config, workdir }: Whereabouts): string[] {
  return [...(config === undefined ? [] : ownFiles(config)), ...filesOfProject(workdir)];
}

function ownFiles(config: string): string[] {
  const users = entriesIn(join(config, 'users')).filter((entry) => entry.isDirectory());
  return [
    ...filesIn(config, (name) => name === 'cordon.toml' || /^secrets\.ya?ml$/.test(name)),
    ...filesIn(join(config, 'profiles'), (name) => EXTENSIONS.includes(extname(name).toLowerCase())),
    ...users.flatMap(({ name }) => filesIn(join(config, 'users', name), (file) => /^secrets\.ya?ml$/.test(file))),
  ];
}

const PROJECT_KINDS = ['settings', 'dockerfile', 'compose', 'env-list', 'allowlist', 'workflow', 'config'];

/** `.env` itself holds what is secret on purpose, and is nobody's policy. */
const isPrivateEnv = (name: string) => /^\.env(?:\.local|\.[\w-]+\.local)?$/.test(name);

const SETTINGS_FOLDERS = ['.claude', '.gemini', '.qwen', '.cursor', '.vscode', '.codex', '.devcontainer'];

function filesOfProject(workdir: string): string[] {
  const here = filesIn(workdir, (name) => PROJECT_KINDS.includes(kindByName(name) ?? '') && !isPrivateEnv(name));
  const workflows = filesIn(join(workdir, '.github', 'workflows'), (name) => /\.ya?ml$/.test(name));
  const settings = SETTINGS_FOLDERS.flatMap((folder) =>
    filesIn(join(workdir, folder), (name) => kindByName(join(folder, name)) === 'settings'),
  );
  return [...here, ...workflows, ...settings].map((path) => relative(workdir, path));
}

function filesIn(folder: string, wanted: (name: string) => boolean): string[] {
  return entriesIn(folder)
    .filter((entry) => !entry.isDirectory() && wanted(entry.name))
    .map(({ name }) => join(folder, name))
    .toSorted();
}

/** A folder that is not there, or may not be read, has nothing to check. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
