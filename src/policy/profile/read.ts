import type { Loaded } from '../load/load.ts';
import { childOf, type Entry, entryOf, itemsOf, type Node, textOf } from '../load/node.ts';
import { Problems } from '../load/problems.ts';
import {
  expandPath,
  isWorkspaceMode,
  type PathRoots,
  type PlaceWord,
  placeProblem,
  WORKSPACE_MODES,
  workspaceProblem,
} from '../places.ts';
import type { FsPreset, GuardMode, Isolation } from '../policy.ts';
import type { BaseName } from '../presets/presets.ts';
import type { Layer, Located, PathLists, WorkspaceLayer } from './layer.ts';
import { readCredentials, readSshKeys } from './read-credentials.ts';
import {
  listed,
  type Reading,
  readAllow,
  readDeny,
  readGuardExceptions,
  readSet,
  readUnset,
} from './read-environment.ts';
import { readNetwork } from './read-network.ts';
import { readSession } from './read-session.ts';
import { PROFILE } from './schema.ts';
import { check, didYouMean } from './shape.ts';

interface ReadOptions extends PathRoots {
  readonly mayRunCommands: boolean;
}

export interface ReadProfile {
  readonly description: string | undefined;
  readonly extends: readonly Located<string>[];
  readonly layer: Layer;
}

/** Checks a profile as a whole and gives what it says, with the place of every rule. Whatever is wrong is said at once. */
export function readProfile({ source, root }: Loaded, { mayRunCommands, ...roots }: ReadOptions): ReadProfile {
  const problems = new Problems(source);
  const reading: Reading = { problems, warnings: [], roots };
  const bases = readExtends(root, problems);
  const environment = childOf(root, 'environment');
  const layer: Layer = {
    base: located<BaseName>(childOf(environment, 'base'), problems),
    allow: readAllow(environment, reading),
    deny: readDeny(environment, reading),
    set: readSet(environment, reading),
    unset: readUnset(environment, reading),
    credentials: readCredentials(childOf(root, 'env_credentials'), { problems, mayRunCommands }),
    sshKeys: readSshKeys(childOf(root, 'ssh_keys'), problems),
    guard: located<GuardMode>(childOf(environment, 'guard'), problems),
    guardExceptions: readGuardExceptions(environment, reading),
    ...readFilesystem(root, reading),
    network: readNetwork(childOf(root, 'network'), problems),
    isolation: located<Isolation>(childOf(root, 'isolation'), problems),
    redact: located<boolean>(childOf(root, 'redact'), problems),
    session: readSession(root, problems),
    warnings: reading.warnings,
  };
  check(PROFILE, root, problems);
  problems.throwIfAny();
  return { description: textOf(childOf(childOf(root, 'meta'), 'description')), extends: bases, layer };
}

/** The check of the whole makes sure that the value is of this type. */
function located<Value>(node: Node | undefined, problems: Problems): Located<Value> | undefined {
  return node?.kind === 'scalar' ? { value: node.value as Value, origin: problems.where(node.place) } : undefined;
}

function readExtends(root: Node, problems: Problems): Located<string>[] {
  return listed(childOf(root, 'extends')).flatMap((node) => {
    const name = textOf(node);
    if (name === undefined) return [];
    if (name.trim() === '' || name.includes('\0'))
      problems.add(node.place, 'this is not the name of a profile', 'write its name, or the path of its file');
    return [{ value: name, origin: problems.where(node.place) }];
  });
}

interface PathOptions {
  readonly problems: Problems;
  readonly warnings: string[];
  readonly roots: PathRoots;
}

/** What only lets something through asks for no protection, so nothing is lost where there is none. Nor does an empty list. */
const RESTRICTIONS = ['preset', 'allow', 'read', 'hide'];
const restricts = ({ key, value }: Entry) => key === 'preset' || key === 'allow' || itemsOf(value).length > 0;

type FilesystemLayer = Pick<Layer, 'filesystem' | 'paths' | 'allowsPaths' | 'workspace'>;

function readFilesystem(root: Node, options: PathOptions): FilesystemLayer {
  const section = childOf(root, 'filesystem');
  return {
    filesystem: readPreset(section, options.problems),
    paths: readPlaces(section, options),
    allowsPaths: readsOldWord(section, options),
    workspace: readWorkspace(childOf(section, 'workspace'), options),
  };
}

function readPreset(section: Node | undefined, problems: Problems): Layer['filesystem'] {
  const first = RESTRICTIONS.map((key) => entryOf(section, key)).find(
    (entry) => entry !== undefined && restricts(entry),
  );
  if (first === undefined) return undefined;
  return {
    value: textOf(childOf(section, 'preset')) as FsPreset | undefined,
    origin: problems.where(first.value.place),
  };
}

function readPlaces(section: Node | undefined, options: PathOptions): PathLists {
  const places = (word: PlaceWord) => itemsOf(childOf(section, word)).flatMap((node) => readPlace(word, node, options));
  const old = itemsOf(childOf(section, 'allow')).flatMap((node) => readPlace('write', node, options));
  return {
    write: [...old, ...places('write')],
    read: places('read'),
    hide: places('hide'),
    expose: places('expose'),
  };
}

function readPlace(word: PlaceWord, node: Node, options: PathOptions): Located<string>[] {
  // Without a home folder there is nothing of it to let through.
  if (word === 'expose' && options.roots.home === undefined && /^(~|\$HOME)(\/|$)/.test(textOf(node) ?? '')) return [];
  const places = readPath(node, options);
  const [problem] = places.map(({ value }) => placeProblem(word, value));
  if (problem !== undefined) options.problems.add(node.place, problem, 'preset minimal has only what is listed');
  return places;
}

/** `allow` is `write`, and without a preset it also means `minimal`. */
function readsOldWord(section: Node | undefined, { problems, warnings }: PathOptions): boolean {
  const entry = entryOf(section, 'allow');
  if (entry === undefined) return false;
  const preset = childOf(section, 'preset') === undefined ? ', with "preset": "minimal" beside it' : '';
  warnings.push(
    `${problems.where(entry.keyPlace)}: filesystem.allow is now called write${preset}; the old word still works`,
  );
  return true;
}

/** Relative paths would mean another folder for every reader: only absolute ones, and those of the home and the working folder. */
function readPath(node: Node, { problems, roots }: PathOptions): Located<string>[] {
  const text = textOf(node);
  if (text === undefined) return [];
  const expanded = expandPath(text, roots);
  if ('path' in expanded) return [{ value: expanded.path, origin: problems.where(node.place) }];
  problems.add(node.place, expanded.problem, expanded.hint);
  return [];
}

function readWorkspace(node: Node | undefined, options: PathOptions): WorkspaceLayer {
  if (node?.kind === 'map') {
    const mode = childOf(node, 'mode');
    const given = textOf(mode);
    return {
      folder: readFolder(childOf(node, 'folder'), options),
      ...(mode === undefined || given === undefined || !isWorkspaceMode(given)
        ? {}
        : { mode: { value: given, origin: options.problems.where(mode.place) } }),
    };
  }
  const word = textOf(node);
  if (node === undefined || word === undefined) return {};
  if (isWorkspaceMode(word)) return { mode: { value: word, origin: options.problems.where(node.place) } };
  if (/[/~$]/.test(word)) return { folder: readFolder(node, options) };
  const hint = didYouMean(word, WORKSPACE_MODES) ?? 'write a folder from /, or from ~/ for the home folder';
  options.problems.add(
    node.place,
    `'${word}' is neither an absolute path nor one of ${WORKSPACE_MODES.join(', ')}`,
    hint,
  );
  return {};
}

/** What the folder is on this disk is looked at when it is used. */
function readFolder(node: Node | undefined, options: PathOptions): Located<string> | undefined {
  const [folder] = node === undefined ? [] : readPath(node, options);
  const problem = folder === undefined ? undefined : workspaceProblem(folder.value, [options.roots.home]);
  if (node !== undefined && problem !== undefined) options.problems.add(node.place, problem, 'name a folder in it');
  return folder;
}
