import {
  appendFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { release } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../host/bytes.ts';
import { ensureFolder, namesIn, quietly, randomHex, textIn } from '../host/files.ts';
import { type Folders, foldersOf, type Homes, isWithin, packageFolder } from '../host/folders.ts';
import { ParentEnv } from '../host/parent-env.ts';
import { replaceFile } from '../host/whole-file.ts';
import {
  type ChangesPlace,
  isWithinAny,
  OWN_POLICIES,
  OWN_SECRETS,
  type OwnPlaces,
  ownPlaces,
  type Path,
  pathOf,
  pathsOf,
} from '../plan/places/index.ts';
import type { Keeping } from '../policy/config/changes.ts';
import type { HostRule } from '../policy/network/rules.ts';
import type { Policy } from '../policy/policy.ts';

interface Own {
  readonly places: OwnPlaces;
  /** The folder in which layers are kept while they are in use; undefined: in memory. */
  readonly aside: Path | undefined;
  /** The folder for what comes back; a home can't hold it. */
  readonly layers: Path | undefined;
}

interface OwnRequest {
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
    state: folders.state,
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

/** Of a line that has no end it is not known how it goes on: somebody is just writing it. */
const linesOf = (path: string) => textIn(path).split('\n').slice(0, -1);

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
    else replaceFile(path, `${[...old.filter(isThere), ...lines].join('\n')}\n`);
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
  quietly(() => writeFileSync(file, `/var/tmp/cordon-${randomHex(16)}\n`, { flag: 'wx', mode: 0o600 }));
  return nameIn(file);
}

function nameIn(file: string): Path | undefined {
  const [name = ''] = linesOf(file);
  return NAME.test(name) ? pathOf(name) : undefined;
}

export const CHANGES_FOLDER = 'changes';
const KEPT_DAYS = 14;
const KEPT_BYTES = 2 ** 30;

/** Where what a command puts aside is kept; undefined where Cordon has no folder of its own. */
export function changesPlace(
  { state }: Folders,
  layers: Path | undefined,
  policy: Policy,
  keeping: Keeping = { keep: [] },
): ChangesPlace | undefined {
  const folder = state === undefined ? undefined : pathOf(join(state, CHANGES_FOLDER));
  if (folder === undefined) return undefined;
  const kept = layers === undefined ? undefined : { folder: layers, policy: fingerprintOf(policy) };
  const { days = KEPT_DAYS, bytes = KEPT_BYTES, keep } = keeping;
  return { folder, days, bytes, kept, save: pathsOf(keep) };
}

/**
 * What tells one policy from another: all that decides about a launch, whichever way it was said, save where it is written and what values
 * are. Two launches with the same one may share a cache.
 */
function fingerprintOf(policy: Policy): string {
  const { origin, base, allow, deny, set, credentials, guard, filesystem, network, isolation } = policy;
  const meaning = {
    origin,
    base: base.preset,
    allow: allow.map(({ pattern, extraKey, plain }) => [pattern.source, extraKey, plain]),
    deny: deny.map(({ pattern, except }) => [pattern.source, except.map(({ source }) => source)]),
    set: set.map(({ name }) => name),
    credentials: credentials.map(({ target, source }) => [target, source]),
    guard,
    filesystem,
    network: { mode: network.mode, allow: textsOf(network.allow), deny: textsOf(network.deny) },
    isolation,
  };
  return sha256(JSON.stringify(meaning)).slice(0, 40);
}

/** As they are written: what an address is read as can't be said in JSON. */
const textsOf = (rules: readonly HostRule[]) => rules.map(({ text }) => text);

/**
 * The first release made empty files and folders in the home while a sandbox ran, and listed them in a lock file. What a killed one
 * left behind is removed here, when it is unchanged and empty, and the list with it. A record: kind, device, inode, size, mtime,
 * path, NUL. A list in /tmp, where commands could write, is not believed.
 */
export function clearFirstRelease(stateFolder: string | undefined, uid = process.getuid?.()): void {
  if (uid === undefined) return;
  const shared = join(`/run/user/${uid}`, `.cordon-${uid}`);
  for (const folder of [shared, ...(stateFolder === undefined ? [] : [stateFolder])])
    clearFolder(folder, uid, folder !== stateFolder);
}

function clearFolder(folder: string, uid: number, whole: boolean): void {
  const stats = look(folder);
  if (stats?.isDirectory() !== true || stats.uid !== uid) return;
  const lock = join(folder, 'sandboxes.lock');
  const file = look(lock);
  if (file !== undefined && (!file.isFile() || file.uid !== uid || isHeld(file))) return;
  if (file !== undefined) clearListed(lock);
  const sandboxes = join(folder, 'sandboxes');
  if (look(sandboxes) !== undefined) quietly(() => rmSync(sandboxes, { recursive: true, force: true }));
  if (whole) quietly(() => rmdirSync(folder));
}

/** Backwards, so that a folder is empty again when its turn comes. */
function clearListed(lock: string): void {
  quietly(() => {
    for (const record of readFileSync(lock, 'latin1').split('\0').reverse()) removeUnchanged(record);
    unlinkSync(lock);
  });
}

const RECORD = /^(?:file|dir) (\d+) (\d+) (\d+) (\d+) (\/.*)$/s;

function removeUnchanged(record: string): void {
  const [, device, inode, size, modified, text = ''] = RECORD.exec(record) ?? [];
  if (device === undefined) return;
  const path = Buffer.from(text, 'latin1');
  quietly(() => {
    const now = lstatSync(path, { bigint: true });
    if (String(now.dev) !== device || String(now.ino) !== inode) return;
    if (now.isDirectory()) rmdirSync(path);
    else if (now.isFile() && now.size === 0n && size === '0' && String(now.mtimeNs) === modified) unlinkSync(path);
  });
}

/** A sandbox of the first release that still runs holds its lock, and needs what it made. */
function isHeld({ ino }: Stats): boolean {
  const locks = look('/proc/locks') === undefined ? '' : readFileSync('/proc/locks', 'latin1');
  return locks
    .split('\n')
    .some((line) => line.includes('FLOCK') && line.split(/\s+/).some((word) => word.endsWith(`:${ino}`)));
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
