import { bytesOfText, textOfBytes } from '../../host/bytes.ts';
import { homesOf } from '../../host/folders.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import { NAMING_VARIABLES, type NamingForm } from './credentials.ts';
import { type Path, pathOf, pathsOf } from './path.ts';

export interface Reasoned {
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

const CERTIFICATE_VARIABLES = [
  ...[
    'SSL_CERT_FILE',
    'NODE_EXTRA_CA_CERTS',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'GIT_SSL_CAINFO',
    'AWS_CA_BUNDLE',
  ],
  ...['CARGO_HTTP_CAINFO', 'PIP_CERT', 'DENO_CERT', 'NIX_SSL_CERT_FILE'],
];

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
  return {
    homes: distinct(pathsOf([home ?? '', passwdHome ?? ''])).filter((one) => one !== '/'),
    moved,
    runtime: path('XDG_RUNTIME_DIR'),
    zdotdir: path('ZDOTDIR'),
    shellFiles: ['ENV', 'BASH_ENV'].flatMap((name) => path(name) ?? []),
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
