import { isAbsolute, join, normalize } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { isWithin } from '../host/folders.ts';
import type { WorkspaceMode } from './policy.ts';
import type { Located, PathLists } from './profile/layer.ts';

/** The words for places, the same in flags, profiles and tools. */
export const PLACE_WORDS = ['write', 'read', 'hide', 'expose'] as const;
export type PlaceWord = (typeof PLACE_WORDS)[number];

export const WORKSPACE_MODES = ['real', 'aside', 'read-only'] as const satisfies readonly WorkspaceMode[];

export const isWorkspaceMode = (word: string): word is WorkspaceMode =>
  (WORKSPACE_MODES as readonly string[]).includes(word);

/** The folders of the XDG specification and what each is without its variable, in the home folder. */
const XDG_DEFAULTS = {
  XDG_CONFIG_HOME: '.config',
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
  XDG_RUNTIME_DIR: undefined,
} as const;

type XdgName = keyof typeof XDG_DEFAULTS;
export type XdgFolders = Readonly<Partial<Record<XdgName, string | undefined>>>;

const DOLLAR_NAMES = ['HOME', 'WORKDIR', ...Object.keys(XDG_DEFAULTS)].join('|');

/** A path as it may be written in a file, as JSON Schema has it. */
export const PATH_PATTERN = `^(/|(~|\\$(${DOLLAR_NAMES}))(/|$))[^$\\u0000]*$`;
export const PATH_EXPECTED = 'an absolute path or one that begins with ~/, $HOME/, $WORKDIR/ or a $XDG_… folder';

/** What `~`, `$HOME`, `$WORKDIR` and `$XDG_…` stand for; undefined where it isn't known. */
export interface PathRoots {
  readonly home: string | undefined;
  readonly workdir: string | undefined;
  /** Undefined: they are other folders at every start. */
  readonly xdg?: XdgFolders | undefined;
  /** What a path that begins with none of them is relative to; undefined where such a path would mean another place for every reader. */
  readonly relativeTo?: string | undefined;
}

export type Expanded = { readonly path: string } | { readonly problem: string; readonly hint?: string };

const ROOTED = new RegExp(`^(~|\\$(?:${DOLLAR_NAMES}))(?=/|$)(.*)$`, 's');

/** A path as it is meant: absolute, without `.`, `..` and a slash at its end. Nothing but its beginning is ever expanded. */
export function expandPath(text: string, roots: PathRoots): Expanded {
  if (text === '') return { problem: 'a path is empty', hint: 'write the whole path, or one that begins with ~/' };
  if (text.includes('\0')) return { problem: 'a path cannot have a NUL in it' };
  const [root = '', rest = text] = ROOTED.exec(text)?.slice(1) ?? [];
  if (rest.includes('$')) return { problem: `'${text}' has a $ that nothing expands`, hint: OTHER_DOLLAR };
  const folder = root === '' ? undefined : folderOf(root === '~' ? 'HOME' : root.slice(1), roots);
  if (root !== '' && folder === undefined) return unknownRoot(text, root);
  const path = root === '' ? rest : join(folder as string, rest);
  if (isAbsolute(path)) return { path: withoutEndSlash(normalize(path)) };
  if (roots.relativeTo === undefined || path.startsWith('~'))
    return { problem: `'${text}' is not an absolute path`, hint: relativeHint(path) };
  return { path: withoutEndSlash(join(roots.relativeTo, path)) };
}

function folderOf(name: string, { home, workdir, xdg }: PathRoots): string | undefined {
  if (name === 'HOME') return home;
  if (name === 'WORKDIR') return workdir;
  const fallback = XDG_DEFAULTS[name as XdgName];
  const inHome = home === undefined || fallback === undefined ? undefined : join(home, fallback);
  return xdg === undefined ? undefined : (xdg[name as XdgName] ?? inHome);
}

const IN_VALUE = new RegExp(
  `(\\$?)\\$(?:(${DOLLAR_NAMES})(?![A-Za-z0-9_])|\\{(${DOLLAR_NAMES})\\}|([A-Za-z_]\\w*|\\{))`,
  'g',
);

export interface ExpandedValue {
  readonly text: string;
  /** One of the known names whose folder isn't known here. */
  readonly unknown?: string;
  /** Whether something else looks like a variable; it stays as it is. */
  readonly other: boolean;
}

/** The value of a variable with the folders it may name filled in, wherever they stand. `$$HOME` is the text `$HOME`. */
export function expandValue(value: string, roots: PathRoots): ExpandedValue {
  let unknown: string | undefined;
  let other = false;
  const text = value.replace(IN_VALUE, (whole, dollar: string, bare?: string, braced?: string, rest?: string) => {
    if (rest !== undefined) {
      other ||= dollar === '';
      return whole;
    }
    if (dollar !== '') return whole.slice(1);
    const name = (bare ?? braced) as string;
    const folder = folderOf(name, roots);
    if (folder === undefined) unknown ??= `$${name}`;
    return folder ?? whole;
  });
  return { text, other, ...(unknown === undefined ? {} : { unknown }) };
}

const OTHER_DOLLAR = 'only $HOME/, $WORKDIR/ and $XDG_…/ at the beginning are known; write the rest in full';

function unknownRoot(text: string, root: string): Expanded {
  const what =
    root === '~' || root === '$HOME' ? 'there is no home folder' : 'that folder is another one at every start';
  const working = 'the working folder is another one at every start';
  return {
    problem: `'${text}' cannot be known: ${root === '$WORKDIR' ? working : what}`,
    hint: 'write an absolute path',
  };
}

const relativeHint = (path: string) =>
  path.startsWith('~')
    ? 'write it from /; ~/ is the own home folder, ./~ a name that begins so'
    : 'write it from /, or from ~/ for the home folder';

const withoutEndSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** Why a word can't be said of a path, wherever it is written. */
export function placeProblem(word: PlaceWord, path: string): string | undefined {
  return word === 'hide' && path === '/' ? '/ cannot be hidden: nothing would be left to start' : undefined;
}

/** Why a folder can't be the workspace, as far as names tell. */
export function workspaceProblem(folder: string, homes: readonly (string | undefined)[]): string | undefined {
  const home = homes.find((one) => one !== undefined && isWithin(one, folder));
  if (home === undefined) return folder === '/' ? '/ cannot be the workspace: it is the whole machine' : undefined;
  const what = folder === home ? 'it is the home folder' : `the home folder ${home} lies in it`;
  return `${folder} cannot be the workspace: ${what}, which a command does not get as a whole`;
}

/**
 * One word for each path. What is hidden can't be readable, writable, exposed or worked in as well: whoever wrote both has to say which is meant.
 * Of read and write, write says more.
 */
export function settledPlaces(
  lists: PathLists,
  workspace?: Located<string>,
): { readonly paths: PathLists; readonly warnings: readonly string[] } {
  const others = { ...lists, workspace: workspace === undefined ? [] : [workspace] };
  for (const word of ['write', 'read', 'expose', 'workspace'] as const) {
    for (const hidden of lists.hide) {
      const other = others[word].find(({ value }) => value === hidden.value);
      if (other !== undefined) throw contradiction(hidden, other, word);
    }
  }
  const writer = (path: string) => lists.write.find(({ value }) => value === path);
  const warnings = lists.read.flatMap(({ value, origin }) => {
    const write = writer(value);
    return write === undefined
      ? []
      : [`${value} is listed under read (${origin}) and under write (${write.origin}): it is writable`];
  });
  return { paths: { ...lists, read: lists.read.filter(({ value }) => writer(value) === undefined) }, warnings };
}

function contradiction(hidden: Located<string>, other: Located<string>, word: PlaceWord | 'workspace'): CordonError {
  return new CordonError(
    'policy',
    `${hidden.value} is listed under hide (${hidden.origin}) and under ${word} (${other.origin})`,
    { hint: 'leave one of them out; a path below a hidden one may well be let through' },
  );
}
