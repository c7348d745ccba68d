import { resolve } from 'node:path';
import { type Bytes, showText } from '../../host/bytes.ts';
import { TOOL_FS_BASES } from '../../policy/config/shape.ts';
import { isWorkspaceMode, PLACE_WORDS, type PlaceWord, placeProblem } from '../../policy/places.ts';
import type { FsPreset, WorkspacePolicy } from '../../policy/policy.ts';
import { refuseUnfitWorkspace } from '../../policy/workspace.ts';
import { addPaths, resetFs, setFsBase, setWorkspace, type ToolEdit } from '../../tools/edits.ts';
import type { ToolSetup } from '../../tools/setup.ts';
import { expandToolPath, hasEnvPolicy, hasFsPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import { textValue, usageError } from '../flags.ts';
import { type Actions, act, alone, type ConfigPart, oneOf, orNone } from './tool-configure.ts';

/** They work as they did, and say what they are called now. */
const OLD_WORDS: Readonly<Record<string, PlaceWord>> = { ro: 'read', rw: 'write' };

const placeAction =
  (word: PlaceWord) =>
  (words: readonly Bytes[], setup: ToolSetup): ToolEdit =>
    addPlaces(word, words, setup);

const ACTIONS: Actions<[ToolSetup]> = {
  list: alone('list', undefined),
  base: (words) => setFsBase(oneOf(TOOL_FS_BASES, words)),
  ...Object.fromEntries(PLACE_WORDS.map((word) => [word, placeAction(word)])),
  ...Object.fromEntries(Object.entries(OLD_WORDS).map(([old, word]) => [old, placeAction(word)])),
  workspace: (words, setup) => setWorkspace(workspaceOf(words, setup)),
  reset: alone('reset', resetFs),
};

export const FS: ConfigPart = {
  editOf: (parsed, setup) => act('fs', parsed, ACTIONS, { more: [setup], unlisted: Object.keys(OLD_WORDS) }),
  asJson: (tool) => {
    const { preset, write, read, hide, expose, workspace } = tool.fs;
    const places = { write, read, hide, expose, workspace, ro: read, rw: write };
    return { tool: tool.name, base: preset, ...places, policy: hasFsPolicy(tool) };
  },
  asText: fsText,
  warnings: ({ words: [action = ''] }) => {
    const word = Object.hasOwn(OLD_WORDS, action) ? OLD_WORDS[action] : undefined;
    return word === undefined ? [] : [`fs ${action} is now called fs ${word}; the old word still works`];
  },
};

function addPlaces(word: PlaceWord, words: readonly Bytes[], setup: ToolSetup): ToolEdit {
  if (words.length === 0) throw usageError(`${word} needs at least one path`, `for example: fs ${word} ~/.cache/tool`);
  const places = words.map((one) => pathText(one, setup));
  for (const { path } of places) {
    const problem = placeProblem(word, path);
    if (problem !== undefined) throw usageError(problem);
  }
  return addPaths(
    word,
    places.map(({ text }) => text),
  );
}

/** `~` and `$HOME` stay as they are, so that the file fits another machine. */
function pathText(word: Bytes, { homes }: ToolSetup): { readonly text: string; readonly path: string } {
  const given = textValue(word, 'a path in cordon.toml');
  const text = given === '' || /^[/~$]/.test(given) ? given : resolve(given);
  const expanded = expandToolPath(text, homes);
  if ('problem' in expanded) throw usageError(expanded.problem, expanded.hint);
  return { text, path: expanded.path };
}

/** A folder, a mode, or one of each. */
function workspaceOf(words: readonly Bytes[], setup: ToolSetup): Partial<WorkspacePolicy> {
  const modes = words.filter((word) => isWorkspaceMode(word)) as string[] as WorkspacePolicy['mode'][];
  const folders = words.filter((word) => !isWorkspaceMode(word));
  if (words.length === 0 || modes.length > 1 || folders.length > 1)
    throw usageError('workspace takes a folder, or aside, read-only or real, or one of each');
  const [folder] = folders.map((word) => pathText(word, setup));
  if (folder !== undefined) refuseUnfitWorkspace(folder.path, setup.homes, 'fs workspace');
  const [mode] = modes;
  return { ...(folder === undefined ? {} : { folder: folder.text }), ...(mode === undefined ? {} : { mode }) };
}

const MEANING: Readonly<Record<FsPreset, string>> = {
  all: 'the host as it is',
  guarded: 'the project you are in, of your home what programs need, the machine read-only',
  workspace: 'the system read-only, a home and /tmp of its own, the working folder writable',
  minimal: 'the system read-only, and what is listed',
};

function fsText(tool: ToolPolicy): string {
  const { preset, write, read, hide, expose, workspace } = tool.fs;
  const paths = (list: readonly string[]) => orNone(list.map(showText));
  const none = hasEnvPolicy(tool)
    ? 'no fs policy — tool sees the filesystem as it is'
    : 'no policy — tool sees the filesystem as it is (symlink)';
  const lines = [
    `base      : ${preset} (${MEANING[preset]})`,
    `write     : ${paths(write)}`,
    `read      : ${paths(read)}`,
    `hide      : ${paths(hide)}`,
    `expose    : ${paths(expose)}`,
    `workspace : ${[workspace.folder, workspace.mode].flatMap((text) => (text === undefined ? [] : [showText(text)])).join(' ')}`,
  ];
  return [`fs policy for ${showText(tool.name)}:`, ...lines, ...(hasFsPolicy(tool) ? [] : [none]), ''].join('\n');
}
