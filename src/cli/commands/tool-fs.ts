import { resolve } from 'node:path';
import { type Bytes, showText } from '../../host/bytes.ts';
import { TOOL_FS_BASES } from '../../policy/config/shape.ts';
import { nearest } from '../../policy/nearest.ts';
import { isWorkspaceMode, PLACE_WORDS, type PlaceWord, placeProblem } from '../../policy/places.ts';
import type { FsPreset, WorkspacePolicy } from '../../policy/policy.ts';
import { refuseUnfitWorkspace } from '../../policy/workspace.ts';
import { addPaths, resetFs, setFsBase, setWorkspace, type ToolEdit } from '../../tools/edits.ts';
import { type ToolSetup, toolSetup } from '../../tools/setup.ts';
import { expandToolPath, hasEnvPolicy, hasFsPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import { type Context, showWarnings } from '../context.ts';
import {
  hasFlag,
  JSON_FLAG,
  type ParsedArguments,
  parseArguments,
  textValue,
  unknownWord,
  usageError,
} from '../flags.ts';
import { configureAndShow } from './tool-configure.ts';
import { orNone, refuseWords } from './tool-env.ts';

const ACTIONS = ['list', 'base', ...PLACE_WORDS, 'workspace', 'reset'] as const;

/** They work as they did, and say what they are called now. */
const OLD_WORDS: Readonly<Record<string, PlaceWord>> = { ro: 'read', rw: 'write' };

const MEANING: Readonly<Record<FsPreset, string>> = {
  all: 'the host as it is',
  guarded: 'the project you are in, of your home what programs need, the machine read-only',
  workspace: 'the system read-only, a home and /tmp of its own, the working folder writable',
  minimal: 'the system read-only, and what is listed',
};

export function configureFs(target: Bytes, args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const setup = toolSetup(context.env);
  const edit = editOf(parsed, setup);
  const [action = ''] = parsed.words;
  const word = Object.hasOwn(OLD_WORDS, action) ? OLD_WORDS[action] : undefined;
  if (word !== undefined) showWarnings([`fs ${action} is now called fs ${word}; the old word still works`], context);
  return configureAndShow({ setup, target, edit, show: (tool) => show(tool, parsed, context) }, context);
}

function editOf(parsed: ParsedArguments, setup: ToolSetup): ToolEdit | undefined {
  const [action = 'list', ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  switch (action) {
    case 'list':
      return refuseWords(action, words, undefined);
    case 'base':
      return setFsBase(presetOf(words));
    case 'ro':
    case 'rw':
    case 'write':
    case 'read':
    case 'hide':
    case 'expose':
      return addPlaces((OLD_WORDS[action] ?? action) as PlaceWord, words, setup);
    case 'workspace':
      return setWorkspace(workspaceOf(words, setup));
    case 'reset':
      return refuseWords(action, words, resetFs);
    default:
      throw unknownWord('fs', action, ACTIONS);
  }
}

function presetOf([preset, ...more]: readonly Bytes[]): string {
  const known: readonly string[] = TOOL_FS_BASES;
  if (preset !== undefined && known.includes(preset) && more.length === 0) return preset;
  const near = preset === undefined ? undefined : nearest(preset, known);
  throw usageError(
    `base takes one of ${known.join(', ')}`,
    near === undefined || near === preset ? undefined : `did you mean ${near}?`,
  );
}

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

function show(tool: ToolPolicy, parsed: ParsedArguments, context: Context): void {
  const { preset, write, read, hide, expose, workspace } = tool.fs;
  if (hasFlag(parsed, '--json')) {
    const places = { write, read, hide, expose, workspace, ro: read, rw: write };
    const shown = { tool: tool.name, base: preset, ...places, policy: hasFsPolicy(tool) };
    context.out(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
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
  context.out([`fs policy for ${showText(tool.name)}:`, ...lines, ...(hasFsPolicy(tool) ? [] : [none]), ''].join('\n'));
}
