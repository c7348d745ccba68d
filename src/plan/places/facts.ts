import { isAbsolute, normalize } from 'node:path';
import { bytesOfText, textOfBytes, wordsIn } from '../../host/bytes.ts';
import { homesOf, isWithin } from '../../host/folders.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import { NAMING_VARIABLES, type NamingForm } from './credentials.ts';

declare const pathBrand: unique symbol;
declare const patternBrand: unique symbol;

/** A place as a plan names it: absolute, without `.`, `..`, doubled or closing slashes, free of NUL. Links in it are the launcher's matter. */
export type Path = string & { readonly [pathBrand]: true };

export function pathOf(text: string): Path | undefined {
  if (!isAbsolute(text) || text.includes('\0')) return undefined;
  const plain = normalize(text).replace(/^\/+/, '/');
  return (plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain) as Path;
}

/** Texts that are no absolute path mean nothing here and are left out. */
export const pathsOf = (texts: readonly string[]): Path[] => texts.flatMap((text) => pathOf(text) ?? []);

/** `rest` is one of our own lists' relative places, which are plain already. */
export function below(folder: Path, rest: string): Path {
  if (rest === '') return folder;
  return `${folder === '/' ? '' : folder}${rest.startsWith('/') ? '' : '/'}${rest}` as Path;
}

/** Places of one of our own lists: `*` is any part of one name, `\*` a star and `\\` a backslash. */
export type PathPattern = string & { readonly [patternBrand]: true };

/** What people, variables and the machine name is meant as it is written. */
export const literally = (path: Path): PathPattern => path.replace(/[\\*]/g, '\\$&') as PathPattern;

export const patternBelow = (folder: Path, rest: string): PathPattern =>
  below(literally(folder) as string as Path, rest) as string as PathPattern;

const ESCAPED = /\\([*\\])/g;
const hasStar = (pattern: string) => pattern.replace(ESCAPED, '').includes('*');

/** The one path that a pattern stands for; undefined where it may be several. */
export const plainOf = (pattern: PathPattern): Path | undefined =>
  hasStar(pattern) ? undefined : (pattern.replace(ESCAPED, '$1') as Path);

/** Its folder up to the first name with a `*` in it, that name, and what follows. */
export function cutAtStar(
  pattern: PathPattern,
): { readonly folder: Path; readonly name: string; readonly rest: string[] } | undefined {
  const names = pattern.split('/');
  const at = names.findIndex(hasStar);
  if (at < 0) return undefined;
  const folder = plainOf(names.slice(0, at).join('/') as PathPattern) as Path;
  return { folder, name: names[at] as string, rest: names.slice(at + 1) };
}

const expressionOf = (pattern: string) =>
  pattern.replace(/\\([*\\])|[*.+?^${}()|[\]\\]/g, (whole, plain?: string) =>
    whole === '*' ? '[^/]*' : `\\${plain ?? whole}`,
  );

/** Whether a path is one that the pattern stands for, or below it. */
export const isWithinPattern = (path: string, pattern: PathPattern): boolean =>
  /[*\\]/.test(pattern) ? new RegExp(`^${expressionOf(pattern)}(?:/|$)`, 's').test(path) : isWithin(path, pattern);

/** One name of a path, and what a pattern has in its place. */
export const isNamedBy = (name: string, pattern: string): boolean =>
  new RegExp(`^${expressionOf(pattern)}$`, 's').test(name);

export const isWithinAny = (path: string, folders: readonly string[]) =>
  folders.some((folder) => isWithin(path, folder));

/** The outermost first, so that nothing covers what was put in place before it. */
export function outermostFirst<Item extends { readonly path: Path | PathPattern }>(items: readonly Item[]): Item[] {
  const depth = (path: string) => (path === '/' ? 0 : path.split('/').length - 1);
  return items.toSorted((a, b) => depth(a.path) - depth(b.path));
}

interface Reasoned {
  readonly path: Path;
  readonly why: string;
}

/** Where things lie, as far as the environment and the user database tell. */
export interface PlaceFacts {
  /** HOME, and the home that the system knows of where that is another; never `/`. */
  readonly homes: readonly Path[];
  /** Those of them of which nothing is read, and nothing is shown but programs that PATH leads to and what is Cordon's. */
  readonly closed?: readonly Path[];
  /** Where `.config`, `.local/share` and so on really are, when variables say so. */
  readonly moved: readonly (readonly [usual: string, place: Path])[];
  readonly runtime: Path | undefined;
  readonly zdotdir: Path | undefined;
  /** What shells outside read at their start because a variable says so. */
  readonly shellFiles: readonly Path[];
  /** Folders of PATH in a home. */
  readonly programs?: readonly Path[];
  /** Files of certificates that variables point at. */
  readonly certificates: readonly Path[];
  /** Credentials that variables point at. */
  readonly named: readonly Reasoned[];
}

/** The same without the homes that are closed: for what is read and shown. */
export const openFacts = <Facts extends PlaceFacts>(facts: Facts): Facts => ({
  ...facts,
  homes: facts.homes.filter((home) => facts.closed?.includes(home) !== true),
});

/** The folders of every program's settings, data and caches. */
const XDG: Readonly<Record<string, string>> = {
  '.config': 'XDG_CONFIG_HOME',
  '.local/share': 'XDG_DATA_HOME',
  '.local/state': 'XDG_STATE_HOME',
  '.cache': 'XDG_CACHE_HOME',
};

/** Those of single programs. */
const MOVED_BY: Readonly<Record<string, string>> = {
  ...XDG,
  '.cargo': 'CARGO_HOME',
  '.docker': 'DOCKER_CONFIG',
  '.gradle': 'GRADLE_USER_HOME',
  '.codex': 'CODEX_HOME',
  '.claude': 'CLAUDE_CONFIG_DIR',
  '.cache/huggingface': 'HF_HOME',
};

/** Whether the whole folder is private, like a home, wherever it lies. A toolchain elsewhere is a part of the machine. */
export const isPersonal = (usual: string) => Object.hasOwn(XDG, usual);

const CERTIFICATE_VARIABLES = wordsIn(`
  SSL_CERT_FILE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO AWS_CA_BUNDLE CARGO_HTTP_CAINFO
  PIP_CERT DENO_CERT NIX_SSL_CERT_FILE
`);

/** The variables whose values say where things lie: what is asked for here must be there again when a plan is made anew. */
export const PLACE_VARIABLES: readonly string[] = [
  ...new Set([
    ...['CORDON_HOME', 'HOME', 'PATH', 'XDG_RUNTIME_DIR', 'ZDOTDIR'],
    ...Object.values(MOVED_BY),
    ...CERTIFICATE_VARIABLES,
    ...NAMING_VARIABLES.map(({ name }) => name),
  ]),
];

export function factsOf(env: ParentEnv): PlaceFacts {
  const path = (name: string) => pathsOf([textOf(env, name) ?? ''])[0];
  const { home, passwdHome } = homesOf(env);
  const moved = Object.entries(MOVED_BY).flatMap(([usual, name]) => {
    const place = path(name);
    return place === undefined || place === '/' ? [] : [[usual, place] as const];
  });
  const homes = distinct(pathsOf([home ?? '', passwdHome ?? ''])).filter((one) => one !== '/');
  return {
    homes,
    moved,
    runtime: path('XDG_RUNTIME_DIR'),
    zdotdir: path('ZDOTDIR'),
    shellFiles: ['ENV', 'BASH_ENV'].flatMap((name) => path(name) ?? []),
    programs: pathsIn('paths', textOf(env, 'PATH') ?? '').filter((folder) => isWithinAny(folder, homes)),
    certificates: CERTIFICATE_VARIABLES.flatMap((name) => path(name) ?? []),
    named: NAMING_VARIABLES.flatMap(({ name, form, why }) =>
      pathsIn(form, textOf(env, name) ?? '').map((place) => ({ path: place, why: `${why} (${name})` })),
    ),
  };
}

export const distinct = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];

function textOf(env: ParentEnv, name: string): string | undefined {
  const value = env.get(bytesOfText(name));
  return value === undefined ? undefined : textOfBytes(value);
}

function pathsIn(form: NamingForm, value: string): Path[] {
  switch (form) {
    case 'path':
      return pathsOf([value]);
    case 'paths':
      return pathsOf(value.split(':'));
    case 'url':
      return pathsOf([value.replace(/^[A-Za-z]+:(\/\/(?=\/))?/, '')]);
  }
}

/** Places that a variable may name by mistake or for nothing, as in `HISTFILE=/dev/null`: hiding these would leave nothing to work with. */
const NEEDED = ['/dev', '/proc', '/sys', '/tmp', '/var/tmp', '/run', '/etc', '/usr', '/bin', '/lib', '/lib64', '/opt'];
const KERNELS = ['/dev', '/proc', '/sys'].flatMap((path) => pathOf(path) ?? []);

export function canBeHidden(path: Path, { homes }: Pick<PlaceFacts, 'homes'>): boolean {
  const swallowed = [...homes, ...NEEDED].some((one) => one === path || one.startsWith(`${path}/`));
  return path !== '/' && !swallowed && !KERNELS.some((folder) => path.startsWith(`${folder}/`));
}
