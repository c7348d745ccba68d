import { childOf, type Entry, entryOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import {
  expandPath,
  isWorkspaceMode,
  type PathRoots,
  type PlaceWord,
  placeProblem,
  WORKSPACE_MODES,
  workspaceProblem,
} from '../places.ts';
import type { FsPreset } from '../policy.ts';
import type { Layer, Located, PathLists, WorkspaceLayer } from './layer.ts';
import { didYouMean } from './shape.ts';

export interface PathOptions {
  readonly problems: Problems;
  readonly warnings: string[];
  readonly roots: PathRoots;
}

/** What only lets something through asks for no protection, so nothing is lost where there is none. Nor does an empty list. */
const RESTRICTIONS = ['preset', 'allow', 'read', 'hide'];
const restricts = ({ key, value }: Entry) => key === 'preset' || key === 'allow' || itemsOf(value).length > 0;

type FilesystemLayer = Pick<Layer, 'filesystem' | 'paths' | 'allowsPaths' | 'workspace'>;

export function readFilesystem(root: Node, options: PathOptions): FilesystemLayer {
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
