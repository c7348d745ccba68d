import type { Bytes } from '../host/bytes.ts';
import { textOfBytes } from '../host/bytes.ts';
import { targetText } from '../policy/container-target.ts';
import type { HostRule } from '../policy/network/rules.ts';
import { isWorkspaceMode, PLACE_WORDS, type PlaceWord } from '../policy/places.ts';
import type { WorkspacePolicy } from '../policy/policy.ts';
import type { NetworkLayer } from '../policy/profile/layer.ts';
import { TomlEditor } from './config/edit.ts';
import type { Config } from './config/read.ts';
import type { ToolPolicy } from './tool-policy.ts';

/** One change of a tool's section, as text. */
export type ToolEdit = (editor: TomlEditor, at: (...keys: string[]) => string[]) => void;

export function edited({ text, name: file }: Config, tool: string, edit: ToolEdit): string {
  const editor = new TomlEditor(text, file);
  const at = (...keys: string[]) => ['tools', tool, ...keys];
  editor.ensureTable(at());
  edit(editor, at);
  return editor.text;
}

export const setEnvBase =
  (base: string): ToolEdit =>
  (editor, at) =>
    editor.setText(at('env_base'), base);
export const addAllow =
  (patterns: readonly string[]): ToolEdit =>
  (editor, at) =>
    editor.addItems(at('env_allow'), patterns);

/** The exceptions belong to each pattern of this call. */
export const addDeny =
  (patterns: readonly string[], except: readonly string[]): ToolEdit =>
  (editor, at) => {
    for (const pattern of new Set(patterns)) {
      editor.ensureEntry(at('env_deny', pattern));
      editor.addItems(at('env_deny', pattern, 'except'), except);
    }
  };

export const resetEnv: ToolEdit = (editor, at) => {
  for (const key of ['env_base', 'env_allow', 'env_deny']) editor.remove(at(key));
};

export const setFsBase =
  (base: string): ToolEdit =>
  (editor, at) =>
    editor.setText(at('fs_base'), base);
export const addPaths =
  (word: PlaceWord, paths: readonly string[]): ToolEdit =>
  (editor, at) =>
    addBesideOld(editor, at, word, paths);

/** What is written under a word's old key stays there. */
const OLD_KEYS: Readonly<Partial<Record<PlaceWord, string>>> = { read: 'fs_ro', write: 'fs_rw' };

function addBesideOld(
  editor: TomlEditor,
  at: (...keys: string[]) => string[],
  word: PlaceWord,
  paths: readonly string[],
) {
  const old = OLD_KEYS[word];
  const present = old === undefined ? [] : editor.itemsAt(at(old));
  editor.addItems(
    at(`fs_${word}`),
    paths.filter((path) => !present.includes(path)),
  );
}

/** A folder leaves the mode as it is, a mode the folder. */
export const setWorkspace =
  ({ folder, mode }: Partial<WorkspacePolicy>): ToolEdit =>
  (editor, at) => {
    const present = workspaceAt(editor, at);
    becomeWorkspace(editor, at, { folder: folder ?? present.folder, mode: mode ?? present.mode });
  };

function workspaceAt(editor: TomlEditor, at: (...keys: string[]) => string[]): WorkspacePolicy {
  const word = editor.textAt(at('fs_workspace'));
  const mode = editor.textAt(at('fs_workspace', 'mode')) ?? word ?? 'real';
  const folder = editor.textAt(at('fs_workspace', 'folder')) ?? word;
  return {
    folder: folder === undefined || isWorkspaceMode(folder) ? undefined : folder,
    mode: isWorkspaceMode(mode) ? mode : 'real',
  };
}

function becomeWorkspace(editor: TomlEditor, at: (...keys: string[]) => string[], then: WorkspacePolicy): void {
  const now = workspaceAt(editor, at);
  const { folder, mode } = then;
  if (now.folder === folder && now.mode === mode) return;
  editor.remove(at('fs_workspace'));
  if (folder !== undefined && mode !== 'real') {
    editor.ensureEntry(at('fs_workspace'));
    editor.setText(at('fs_workspace', 'folder'), folder);
    editor.setText(at('fs_workspace', 'mode'), mode);
  } else if (folder !== undefined || mode !== 'real') editor.setText(at('fs_workspace'), folder ?? mode);
}

export const resetFs: ToolEdit = (editor, at) => {
  const words = PLACE_WORDS.map((word) => `fs_${word}`);
  for (const key of ['fs_base', ...words, ...Object.values(OLD_KEYS), 'fs_workspace']) editor.remove(at(key));
};

export const addHosts =
  (list: 'allow' | 'deny', hosts: readonly string[]): ToolEdit =>
  (editor, at) =>
    editor.addItems(at('network', list), hosts);

/** What was allowed has no meaning then, and would be an error. */
export const cutOff: ToolEdit = (editor, at) => {
  editor.remove(at('network', 'allow'));
  editor.setPlain(at('network', 'block'), true);
};

export const setNetworkLimit =
  (key: 'connections' | 'silence_seconds', value: number): ToolEdit =>
  (editor, at) =>
    editor.setPlain(at('network', key), value);

export const resetNet: ToolEdit = (editor, at) => editor.remove(at('network'));

export const setContainer =
  (target: string): ToolEdit =>
  (editor, at) =>
    editor.setText(at('in'), target);

export const resetContainer: ToolEdit = (editor, at) => editor.remove(at('in'));

/** Makes the section say exactly what another file says, and leaves alone what says so already. */
export const becomes =
  (now: ToolPolicy | undefined, then: ToolPolicy): ToolEdit =>
  (editor, at) => {
    if (now?.base.preset !== then.base.preset) setOrRemove(editor, at('env_base'), then.base.preset);
    becomeList(editor, at('env_allow'), then.allow.map(sourceOf));
    becomeDeny(editor, at, now, then);
    if (now?.fs.preset !== then.fs.preset) setOrRemove(editor, at('fs_base'), then.fs.preset);
    for (const word of PLACE_WORDS) becomePlaces(editor, at, word, then.fs[word]);
    becomeWorkspace(editor, at, then.fs.workspace);
    becomeNetwork(editor, at, then.network);
    becomeContainer(editor, at, now, then);
  };

function becomeContainer(
  editor: TomlEditor,
  at: (...keys: string[]) => string[],
  now: ToolPolicy | undefined,
  then: ToolPolicy,
): void {
  const [before, after] = [now?.in, then.in].map((one) => (one === undefined ? undefined : targetText(one)));
  if (after === undefined) resetContainer(editor, at);
  else if (before !== after) setContainer(after)(editor, at);
}

function becomeNetwork(
  editor: TomlEditor,
  at: (...keys: string[]) => string[],
  { block, allow, deny, connections, silenceSeconds }: NetworkLayer,
): void {
  const plain = { block, connections, silence_seconds: silenceSeconds };
  // What stands in each other's way goes before anything comes.
  for (const [key, given] of Object.entries(plain)) if (given === undefined) editor.remove(at('network', key));
  if (allow === undefined) editor.remove(at('network', 'allow'));
  becomeList(editor, at('network', 'deny'), hostTexts(deny));
  if (allow !== undefined) {
    editor.ensureList(at('network', 'allow'));
    editor.keepItems(at('network', 'allow'), hostTexts(allow.rules));
    editor.addItems(at('network', 'allow'), hostTexts(allow.rules));
  }
  for (const [key, given] of Object.entries(plain))
    if (given !== undefined) editor.setPlain(at('network', key), given.value);
}

/** As they are written: a set by its name. */
export const hostTexts = (rules: readonly HostRule[]): string[] => [
  ...new Set(rules.map(({ text, set }) => (set === undefined ? text : set))),
];

function becomePlaces(
  editor: TomlEditor,
  at: (...keys: string[]) => string[],
  word: PlaceWord,
  paths: readonly string[],
) {
  for (const key of [OLD_KEYS[word], `fs_${word}`].filter((one) => one !== undefined)) {
    editor.keepItems(at(key), paths);
    if (paths.length === 0) editor.remove(at(key));
  }
  addBesideOld(editor, at, word, paths);
}

function setOrRemove(editor: TomlEditor, path: string[], value: string): void {
  if (value === 'all') editor.remove(path);
  else editor.setText(path, value);
}

function becomeList(editor: TomlEditor, path: string[], texts: readonly string[]): void {
  if (texts.length === 0) editor.remove(path);
  editor.keepItems(path, texts);
  editor.addItems(path, texts);
}

function becomeDeny(
  editor: TomlEditor,
  at: (...keys: string[]) => string[],
  now: ToolPolicy | undefined,
  then: ToolPolicy,
): void {
  const wanted = new Map(
    then.deny.map((rule) => [sourceOf(rule), rule.except.map((pattern) => sourceOf({ pattern }))]),
  );
  for (const gone of (now?.deny ?? []).map(sourceOf).filter((pattern) => !wanted.has(pattern)))
    editor.remove(at('env_deny', gone));
  if (wanted.size === 0) editor.remove(at('env_deny'));
  for (const [pattern, except] of wanted) {
    editor.ensureEntry(at('env_deny', pattern));
    becomeList(editor, at('env_deny', pattern, 'except'), except);
  }
}

/** Patterns of a policy file come from UTF-8 text, so they are text again. */
const sourceOf = ({ pattern }: { readonly pattern: { readonly source: Bytes } }) =>
  textOfBytes(pattern.source) ?? pattern.source;
