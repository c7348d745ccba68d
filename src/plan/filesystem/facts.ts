import { isAbsolute, normalize } from 'node:path';
import { bytesOfText, textOfBytes } from '../../host/bytes.ts';
import { type Folders, foldersOf, homesOf } from '../../host/folders.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import { NAMING_VARIABLES, type NamingForm } from './sockets.ts';
import type { Reasoned } from './types.ts';

/** What the parent knows about where things lie; only absolute paths. */
export interface FsFacts {
  readonly uid: number;
  readonly home: string | undefined;
  readonly passwdHome: string | undefined;
  /** The working folder of the command. */
  readonly workspace: string;
  /** Cordon's own. */
  readonly folders: Folders;
  /** Where `.config`, `.local/share` and so on really are, when variables say so. */
  readonly moved: Readonly<Record<string, string>>;
  readonly runtime: string | undefined;
  /** The folders of PATH. */
  readonly path: readonly string[];
  readonly zdotdir: string | undefined;
  /** What shells outside read at their start because a variable says so. */
  readonly shellFiles: readonly string[];
  /** Credentials and sockets that variables point at. */
  readonly named: readonly Reasoned[];
}

const MOVED_BY: Readonly<Record<string, string>> = {
  '.config': 'XDG_CONFIG_HOME',
  '.local/share': 'XDG_DATA_HOME',
  '.local/state': 'XDG_STATE_HOME',
  '.cache': 'XDG_CACHE_HOME',
  '.cargo': 'CARGO_HOME',
  '.docker': 'DOCKER_CONFIG',
  '.gradle': 'GRADLE_USER_HOME',
  '.codex': 'CODEX_HOME',
  '.claude': 'CLAUDE_CONFIG_DIR',
  '.cache/huggingface': 'HF_HOME',
};

/** The variables whose values say where things lie: what is asked for here must be there again when a plan is made anew. */
export const PLACE_VARIABLES: readonly string[] = [
  ...new Set([
    ...['CORDON_HOME', 'HOME', 'PATH', 'XDG_RUNTIME_DIR', 'ZDOTDIR'],
    ...Object.values(MOVED_BY),
    ...NAMING_VARIABLES.map(({ name }) => name),
  ]),
];

export function factsOf(env: ParentEnv, workspace: string): FsFacts {
  const text = (name: string) => textOf(env, name);
  return {
    uid: process.getuid?.() ?? -1,
    ...homesOf(env),
    workspace,
    folders: foldersOf(env),
    moved: movedFolders(text),
    runtime: onlyAbsolute(text('XDG_RUNTIME_DIR')),
    path: (text('PATH') ?? '').split(':').flatMap(absolutePaths),
    zdotdir: onlyAbsolute(text('ZDOTDIR')),
    shellFiles: ['ENV', 'BASH_ENV'].flatMap((name) => absolutePaths(text(name) ?? '')),
    named: NAMING_VARIABLES.flatMap(({ name, form, why }) => {
      const value = text(name);
      return value === undefined ? [] : pathsIn(form, value).map((path) => ({ path, why: `${why} (${name})` }));
    }),
  };
}

function movedFolders(text: (name: string) => string | undefined): Record<string, string> {
  const moved = Object.entries(MOVED_BY).map(([folder, name]) => [folder, onlyAbsolute(text(name))] as const);
  return Object.fromEntries(moved.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

function textOf(env: ParentEnv, name: string): string | undefined {
  const value = env.get(bytesOfText(name));
  return value === undefined ? undefined : textOfBytes(value);
}

function pathsIn(form: NamingForm, value: string): string[] {
  switch (form) {
    case 'path':
      return absolutePaths(value);
    case 'paths':
      return value.split(':').flatMap(absolutePaths);
    case 'comma':
      return absolutePaths(value.split(',')[0] ?? '');
    case 'colon':
      return absolutePaths(value.split(':')[0] ?? '');
    case 'url':
      return absolutePaths(value.replace(/^[A-Za-z]+:(\/\/(?=\/))?/, ''));
    case 'dbus':
      return value
        .split(/[;,]/)
        .flatMap((part) => absolutePaths(part.replace(/^unix:/, '').replace(/^(path|dir|tmpdir|runtime)=/, '')));
  }
}

function absolutePaths(path: string): string[] {
  const absolute = onlyAbsolute(path);
  return absolute === undefined ? [] : [absolute];
}

function onlyAbsolute(path: string | undefined): string | undefined {
  if (path === undefined || !isAbsolute(path) || path.includes('\0')) return undefined;
  const plain = normalize(path);
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}
