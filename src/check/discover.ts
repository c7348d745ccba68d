import { type Dirent, readdirSync } from 'node:fs';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { namesIn } from '../host/files.ts';
import { EXTENSIONS } from '../policy/load/load.ts';
import { holdsValues, isPrivate } from './env-files.ts';
import { repositoryAt } from './git-index.ts';
import { kindByName, startOf } from './read.ts';
import { leadsInto } from './whereabouts.ts';

interface CheckedPlaces {
  readonly config: string | undefined;
  readonly workdir: string;
}

/** What `cordon check` looks at by itself: Cordon's own files, and what in the working folder may hand credentials on. */
export function discover({ config, workdir }: CheckedPlaces): string[] {
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

const PROJECT_KINDS = [
  'settings',
  'dockerfile',
  'compose',
  'manifest',
  'env-list',
  'allowlist',
  'workflow',
  'config',
  'package',
];

const SETTINGS_FOLDERS = ['.claude', '.gemini', '.qwen', '.cursor', '.vscode', '.codex', '.devcontainer'];

function filesOfProject(workdir: string): string[] {
  const leftAlone = isLeftAlone(workdir);
  const here = filesIn(workdir, (name) => PROJECT_KINDS.includes(kindByName(name) ?? '') && !leftAlone(name));
  const workflows = filesIn(join(workdir, '.github', 'workflows'), (name) => /\.ya?ml$/.test(name));
  const settings = SETTINGS_FOLDERS.flatMap((folder) =>
    filesIn(join(workdir, folder), (name) => kindByName(join(folder, name)) === 'settings'),
  );
  const others = [...manifestFiles(workdir), ...trackedFiles(workdir)];
  const found = [...here, ...workflows, ...settings, ...others].map((path) => relative(workdir, path));
  return [...new Set(found)];
}

/** Outside a repository `.env` itself is nobody's business. */
const isLeftAlone = (workdir: string) => {
  const inRepository = repositoryAt(workdir) !== undefined;
  return (name: string) => isPrivate(name) && !inRepository;
};

const MOST_TRACKED = 500;

/** In every folder below, by git's own list: files of values, and packages of a workspace. */
function trackedFiles(workdir: string): string[] {
  const repository = repositoryAt(workdir);
  if (repository === undefined) return [];
  const below = `${relative(repository.root, resolve(workdir)).split(sep).join('/')}/`.replace(/^\/$/, '');
  return [...repository.tracked]
    .filter((path) => path.startsWith(below) && (holdsValues(path) || basename(path) === 'package.json'))
    .filter((path) => !path.split('/').includes('node_modules'))
    .slice(0, MOST_TRACKED)
    .map((path) => join(repository.root, path))
    .filter((path) => leadsInto(repository.root, path));
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

/** Where projects keep what they deploy. */
const FOLDERS = ['k8s', 'kubernetes', 'manifests', 'deploy', 'deployment', 'kustomize', '.k8s'];
const DEEPEST = 3;
const MOST = 200;

/** Manifests below such folders, by what is in them. Templates of Helm are no YAML before they are filled in. */
function manifestFiles(workdir: string): string[] {
  return FOLDERS.flatMap((folder) => filesBelow(join(workdir, folder), DEEPEST))
    .filter(isManifest)
    .slice(0, MOST);
}

function filesBelow(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return namesIn(folder)
    .toSorted()
    .filter((name) => name !== 'templates' && name !== 'node_modules')
    .flatMap((name) => {
      const path = join(folder, name);
      return /^\.ya?ml$/.test(extname(name)) ? [path] : filesBelow(path, depth - 1);
    });
}

function isManifest(path: string): boolean {
  const text = startOf(path)?.data.toString() ?? '';
  return /^apiVersion:/m.test(text) && /^kind:/m.test(text) && !text.includes('{{');
}
