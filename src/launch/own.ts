import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ensureFolder, namesIn } from '../host/files.ts';
import { type Folders, foldersOf, type Homes, packageFolder } from '../host/folders.ts';
import { ParentEnv } from '../host/parent-env.ts';
import {
  isWithin,
  isWithinAny,
  OWN_POLICIES,
  OWN_SECRETS,
  type OwnPlaces,
  ownPlaces,
  type Path,
  pathOf,
} from '../plan/places/index.ts';

export interface Own {
  readonly places: OwnPlaces;
  /** The folder in which layers are kept while they are in use; undefined: in memory. */
  readonly aside: Path | undefined;
  /** The folder for what comes back; a home can't hold it. */
  readonly layers: Path | undefined;
}

export interface OwnRequest {
  readonly homes: Homes;
  /** Those of this launch. */
  readonly folders: Folders;
  readonly policyFiles: readonly string[];
  /** `look`: nothing is made or written. */
  readonly how: 'keep' | 'look';
  /** What the command can write to: Cordon's folders in there are made, since only what is there can be kept from it. */
  readonly writable?: readonly string[];
  /** The kernel's release. */
  readonly kernel?: string;
}

/** Cordon's own files of this launch, and of every home it was ever used with, whatever HOME, CORDON_HOME and XDG_* say now. */
export function ownOf(request: OwnRequest): Own {
  const {
    homes: { home, passwdHome },
    folders,
    policyFiles,
    how,
    writable = [],
    kernel = release(),
  } = request;
  const layers = layersFolder(folders.state, how);
  const usual = [...new Set([passwdHome, home])].flatMap(usualFolders);
  const [registry] = usual.map(({ state }) => join(state, 'homes'));
  const known = registry === undefined ? [] : readRegistry(registry);
  if (how === 'keep' && registry !== undefined) register(registry, folders, [...usual, ...known]);
  const homes = [...usual, folders, ...known];
  if (how === 'keep') makeReachable([...usual, folders], writable);
  const configs = [...new Set(homes.flatMap(({ config }) => config ?? []))];
  const places = ownPlaces({
    homes,
    program: [packageFolder()],
    policyFiles: [...policyFiles, ...configs.flatMap((config) => linkTargets(config, OWN_POLICIES))],
    secretFiles: configs.flatMap((config) => linkTargets(config, OWN_SECRETS)),
    layers,
  });
  return { places, aside: keepsLayersInMemory(kernel) ? undefined : layers, layers };
}

function makeReachable(homes: readonly Folders[], writable: readonly string[]): void {
  const folders = homes.flatMap((home) => KINDS.flatMap((kind) => home[kind] ?? []));
  const open = [...writable, ...writable.map(leadOf)];
  for (const folder of folders.filter((one) => isWithinAny(one, open) || isWithinAny(leadOf(one), open)))
    quietly(() => ensureFolder(folder));
}

/** The same path without links, as far as it is there. */
function leadOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(leadOf(above), basename(path));
  }
}

/** All that the workspace may be, wherever the launcher finds its top: the outermost folder around this one that holds no home. */
export function mayBeWorkspace(folder: string, homes: readonly string[]): string[] {
  const all = [...homes, ...homes.map(leadOf)];
  const holdsNone = (one: string) => one !== '/' && !all.some((home) => isWithin(home, one));
  const around = (one: string): string => (holdsNone(dirname(one)) ? around(dirname(one)) : one);
  return holdsNone(folder) ? [around(folder)] : [];
}

/** Policies and secrets may be links, into a folder of dotfiles: what they lead to is kept like what stands there. */
function linkTargets(config: string, names: readonly string[]): string[] {
  const within = (name: string) => [name, ...namesIn(join(config, name)).map((one) => join(name, one))];
  const entries = names.flatMap((name) => (name.endsWith('*') ? matching(config, name) : within(name)));
  return entries.flatMap((entry) => targetOf(join(config, entry)) ?? []);
}

const matching = (folder: string, pattern: string) =>
  namesIn(folder).filter((name) => name.startsWith(pattern.slice(0, -1)));

function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The usual places in a home. That of the home which the system knows of comes first: no variable can move it. */
function usualFolders(home: string | undefined): (Folders & { readonly state: string })[] {
  if (home === undefined || home === '/') return [];
  const folders = foldersOf(ParentEnv.fromRecord({ HOME: home }));
  return folders.state === undefined ? [] : [{ ...folders, state: folders.state }];
}

const KINDS = ['config', 'state', 'bin'] as const;
const MOST_LINES = 64;

/** One folder a line, `state /srv/cordon/state`, in a file that no command can reach. Of what is gone nothing has to be kept. */
function readRegistry(path: string): Folders[] {
  return linesOf(path)
    .filter(isThere)
    .flatMap((line) => {
      const [, kind, folder = ''] = /^(config|state|bin) (\/.*)$/.exec(line) ?? [];
      const none = { config: undefined, state: undefined, bin: undefined };
      return kind === undefined ? [] : [{ ...none, [kind]: folder }];
    });
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Best effort: a disk that is full or read-only never stops a launch. */
function register(path: string, folders: Folders, known: readonly Folders[]): void {
  const missing = KINDS.filter(
    (kind) => folders[kind] !== undefined && !known.some((one) => one[kind] === folders[kind]),
  );
  const lines = missing.map((kind) => `${kind} ${folders[kind]}`).filter((line) => !line.includes('\n'));
  if (lines.length === 0) return;
  quietly(() => {
    ensureFolder(join(path, '..'));
    const old = linesOf(path);
    if (old.length < MOST_LINES) appendFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
    else writeFileSync(path, `${[...old.filter(isThere), ...lines].join('\n')}\n`, { mode: 0o600 });
  });
}

const isThere = (line: string) => existsSync(line.slice(line.indexOf(' ') + 1));

/** Before Linux 6.6 files in memory have no attributes of the user's, which layers are marked with. */
function keepsLayersInMemory(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 6);
}

/** The folder for layers, where one was chosen already. */
export const layersFolderOf = (state: string | undefined) => layersFolder(state, 'look');

const NAME = /^\/var\/tmp\/cordon-[0-9a-f]{32}$/;

/** A name that nobody can guess, so that nobody can take it first. It can't lie in a home: a layer may not be kept within itself. */
function layersFolder(state: string | undefined, how: OwnRequest['how']): Path | undefined {
  if (state === undefined) return undefined;
  const file = join(state, 'layers');
  const known = nameIn(file);
  if (known !== undefined || how === 'look') return known;
  quietly(() =>
    writeFileSync(file, `/var/tmp/cordon-${randomBytes(16).toString('hex')}\n`, { flag: 'wx', mode: 0o600 }),
  );
  return nameIn(file);
}

function nameIn(file: string): Path | undefined {
  const [name = ''] = linesOf(file);
  return NAME.test(name) ? pathOf(name) : undefined;
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // What could not be written is written at the next launch.
  }
}
