import { resolve } from 'node:path';
import { homesOf, workingFolder, xdgOf } from '../host/folders.ts';
import {
  expandPath,
  isWorkspaceMode,
  type PathRoots,
  type PlaceWord,
  placeProblem,
  settledPlaces,
} from '../policy/places.ts';
import type { FilesystemPolicy, Policy, WorkspacePolicy } from '../policy/policy.ts';
import type { Located, PathLists } from '../policy/profile/layer.ts';
import { refuseUnfitWorkspace } from '../policy/workspace.ts';
import type { Context } from './context.ts';
import { type FlagSpec, flagValues, type ParsedArguments, textValue, usageError } from './flags.ts';

export const PLACE_FLAGS: readonly FlagSpec[] = [
  { name: '--write', value: 'PATH', help: 'this place as it is outside, writable; repeatable' },
  { name: '--read', value: 'PATH', help: 'this place as it is outside, read-only; repeatable' },
  { name: '--hide', value: 'PATH', help: 'this place is not there; repeatable' },
  { name: '--expose', value: 'PATH', help: 'let this place through although it would be hidden; repeatable' },
  {
    name: '--workspace',
    value: 'DIR|aside|read-only',
    help: 'which folder is the workspace; what is written there is put aside, or cannot be written',
  },
];

/** The folder the command runs in: this one, unless an agent is told another. */
export function workdirOf(parsed: ParsedArguments): string {
  const given = flagValues(parsed, '--workdir').at(-1);
  return given === undefined ? workingFolder() : resolve(textValue(given, '--workdir'));
}

/** The policy with what the command line says of places on top, and its workspace looked at. */
export function withPlaceFlags(policy: Policy, parsed: ParsedArguments, { env }: Pick<Context, 'env'>): Policy {
  const homes = homesOf(env);
  const roots = {
    home: homes.home ?? homes.passwdHome,
    workdir: workdirOf(parsed),
    xdg: xdgOf(env),
    relativeTo: workingFolder(),
  };
  const given = givenPlaces(parsed, roots);
  const workspace = givenWorkspace(parsed, roots);
  const folder = workspace.folder ?? policy.filesystem.workspace.folder;
  const origin = workspace.folder === undefined ? policy.origin : 'flag --workspace';
  const { paths, warnings } = settledPlaces(
    onTop(policy, given),
    folder === undefined ? undefined : { value: folder, origin },
  );
  const filesystem = {
    ...policy.filesystem,
    ...valuesOf(paths),
    workspace: { ...policy.filesystem.workspace, ...workspace },
    // What only lets something through needs no barrier; what is kept away does, and never degrades.
    explicit: policy.filesystem.explicit || given.hide.length > 0 || (workspace.mode ?? 'real') !== 'real',
  };
  if (folder !== undefined) refuseUnfitWorkspace(folder, homes, origin);
  return { ...policy, filesystem, warnings: [...policy.warnings, ...warnings] };
}

function givenPlaces(parsed: ParsedArguments, roots: PathRoots): PathLists {
  const places = (word: PlaceWord) =>
    flagValues(parsed, `--${word}`).map((value) => {
      const path = pathOf(textValue(value, `--${word}`), `--${word}`, roots);
      const problem = placeProblem(word, path);
      if (problem !== undefined) throw usageError(`--${word}: ${problem}`, '--fs minimal has only what is listed');
      return { value: path, origin: `flag --${word}` };
    });
  return { write: places('write'), read: places('read'), hide: places('hide'), expose: places('expose') };
}

function pathOf(text: string, flag: string, roots: PathRoots): string {
  const expanded = expandPath(text, roots);
  if ('problem' in expanded) throw usageError(`${flag}: ${expanded.problem}`, expanded.hint);
  return expanded.path;
}

/** Between hide and expose the command line has the last word: it hides what a policy exposes, and lifts the mask that a policy lays. */
function onTop({ filesystem, origin }: Policy, given: PathLists): PathLists {
  const named = (list: readonly Located<string>[]) => new Set(list.map(({ value }) => value));
  const [hidden, exposed] = [named(given.hide), named(given.expose)];
  const start = (word: PlaceWord, without: ReadonlySet<string>) =>
    filesystem[word].filter((path) => !without.has(path)).map((value) => ({ value, origin }));
  const none = new Set<string>();
  return {
    write: [...start('write', none), ...given.write],
    read: [...start('read', none), ...given.read],
    hide: [...start('hide', exposed), ...given.hide],
    expose: [...start('expose', hidden), ...given.expose],
  };
}

function valuesOf(paths: PathLists): Pick<FilesystemPolicy, PlaceWord> {
  const values = (word: PlaceWord) => [...new Set(paths[word].map(({ value }) => value))];
  return { write: values('write'), read: values('read'), hide: values('hide'), expose: values('expose') };
}

/** One folder and one mode at most. */
function givenWorkspace(parsed: ParsedArguments, roots: PathRoots): Partial<WorkspacePolicy> {
  const words = flagValues(parsed, '--workspace').map((value) => textValue(value, '--workspace'));
  const modes = words.filter(isWorkspaceMode);
  const folders = words.filter((word) => !isWorkspaceMode(word)).map((word) => pathOf(word, '--workspace', roots));
  for (const [several, what] of [
    [modes, 'aside or read-only'],
    [folders, 'folder'],
  ] as const) {
    if (several.length > 1)
      throw usageError(`--workspace ${several.join(' and --workspace ')} do not go together`, `give one ${what}`);
  }
  const [[mode], [folder]] = [modes, folders];
  return { ...(mode === undefined ? {} : { mode }), ...(folder === undefined ? {} : { folder }) };
}
