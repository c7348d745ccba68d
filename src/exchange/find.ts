import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { wordsIn } from '../host/bytes.ts';

/** Where other tools keep their policies: for the user, and in a project. */
const OF_THE_USER = [
  '.codex/config.toml',
  '.gemini/settings.json',
  '.claude/settings.json',
  '.srt-settings.json',
  '.config/ixt/ixt.toml',
];

/** Folders with a policy in every file. */
const FOLDERS_OF_THE_USER = [
  ['.config/nono/profiles', /\.jsonc?$/],
  ['.config/firejail', /\.profile$/],
] as const;

const OF_A_PROJECT = wordsIn(`
  .codex/config.toml .gemini/settings.json .claude/settings.json .claude/settings.local.json .srt-settings.json
  .devcontainer/devcontainer.json .devcontainer.json compose.yaml compose.yml docker-compose.yml docker-compose.yaml
  ixt.toml .env .envrc
`);

export interface FoundPolicy {
  readonly path: string;
  /** What the profile is called when nobody says. */
  readonly name: string;
}

export function findPolicies(home: string | undefined, workdir: string): FoundPolicy[] {
  const paths = [...OF_THE_USER, ...FOLDERS_OF_THE_USER.flatMap(([folder, kind]) => filesIn(home, folder, kind))];
  const user = home === undefined ? [] : paths.map((path) => ({ path: join(home, path), name: nameOf(path) }));
  const project = OF_A_PROJECT.map((path) => ({ path: resolve(workdir, path), name: `${nameOf(path)}-project` }));
  const all = new Map([...project, ...user].map((one) => [one.path, one]));
  return [...all.values()].filter(({ path }) => existsSync(path));
}

function filesIn(home: string | undefined, folder: string, kind: RegExp): string[] {
  const path = join(home ?? '', folder);
  if (home === undefined || !existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => kind.test(name))
    .toSorted()
    .map((name) => `${folder}/${name}`);
}

/** `from-codex` for `.codex/config.toml`, `compose` for `compose.yaml`. */
export function nameOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const last = parts.at(-1) ?? 'imported';
  const generic = /^(config|settings(\.local)?|devcontainer)\.\w+$/.test(last);
  const word = generic ? `from-${parts.at(-2) ?? last}` : last.replace(/\.(json|jsonc|toml|ya?ml|profile|txt|py)$/, '');
  const local = last.includes('.local.') ? '-local' : '';
  const name = `${word}${local}`.replace(/[^A-Za-z0-9_]+/g, '-').replace(/^-+|-+$/g, '');
  return name === '' ? 'imported' : name.toLowerCase();
}
