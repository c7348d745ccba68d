import type { BigIntStats } from 'node:fs';
import { showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { unfitFor } from '../../launch/container/unfit.ts';
import { readConfigFile, sectionsIn } from '../../policy/config/file.ts';
import { CONFIG, TOOL, TOOL_PATH_EXPECTED } from '../../policy/config/shape.ts';
import { readTarget, TARGET_EXPECTED } from '../../policy/container-target.ts';
import { childOf, type Entry, itemsOf, type MapNode, type Node, textOf } from '../../policy/load/node.ts';
import { Problems, refuse } from '../../policy/load/problems.ts';
import { Source } from '../../policy/load/source.ts';
import { Pattern } from '../../policy/pattern.ts';
import {
  isWorkspaceMode,
  PLACE_WORDS,
  type PlaceWord,
  placeProblem,
  settledPlaces,
  WORKSPACE_MODES,
} from '../../policy/places.ts';
import type { AllowRule, DenyRule, FsPreset, WorkspacePolicy } from '../../policy/policy.ts';
import { readNetwork } from '../../policy/profile/read-network.ts';
import { check, didYouMean } from '../../policy/profile/shape.ts';
import { nameProblem } from '../target.ts';
import { expandToolPath, policyOf, type ToolBase, type ToolPolicy, withoutPolicy } from '../tool-policy.ts';

export interface Config {
  /** The file's path, for messages. */
  readonly name: string;
  readonly text: string;
  /** Undefined as long as there is no file. */
  readonly file: BigIntStats | undefined;
  readonly tools: ReadonlyMap<string, ToolPolicy>;
  /** Tools whose section has a mistake in it: each is stopped by itself, and no other. */
  readonly broken: ReadonlyMap<string, CordonError>;
  /** The other sections that are there. */
  readonly otherSections: readonly string[];
}

const NO_TOOLS = { tools: new Map(), broken: new Map(), otherSections: [] };

/** A file that isn't there says nothing; one that can't be read, or in which no tool is right, is refused whole. */
export function readConfig(path: string): Config {
  const found = readConfigFile(path);
  return parseConfig(path, found?.source.text ?? '', found?.stats);
}

export function parseConfig(name: string, text: string, file?: BigIntStats): Config {
  const source = new Source(name, text);
  const root = sectionsIn(source);
  if (root === undefined) return { name, text, file, ...NO_TOOLS };
  const { tools, broken } = readTools(source, mapEntries(childOf(root, 'tools')));
  checkRest(source, root, broken);
  const config = { name, text, file, tools, broken, otherSections: otherSections(root) };
  if (tools.size === 0) refuseBroken(config);
  return config;
}

/** Where it is all or nothing. */
export function refuseBroken({ broken }: Pick<Config, 'broken'>): void {
  const [first, ...others] = broken.values();
  if (first === undefined) return;
  const { message, where, hint, frame } = first;
  throw new CordonError(first.kind, message, { where, hint, frame, related: [...first.related, ...others] });
}

export function brokenWarnings({ broken }: Pick<Config, 'broken'>): string[] {
  return [...broken].map(
    ([tool, { where, message }]) =>
      `${showText(tool)} does not start until its policy is fixed: ${where === undefined ? '' : `${where}: `}${message}`,
  );
}

const otherSections = ({ entries }: MapNode) => entries.map(({ key }) => key).filter((key) => key !== 'tools');

function readTools(source: Source, entries: readonly Entry[]): Pick<Config, 'tools' | 'broken'> {
  const tools = new Map<string, ToolPolicy>();
  const broken = new Map<string, CordonError>();
  for (const entry of entries) {
    try {
      checkTool(source, entry);
      tools.set(entry.key, toolOf(source, entry));
    } catch (error) {
      if (!(error instanceof CordonError)) throw error;
      broken.set(entry.key, error);
    }
  }
  return { tools, broken };
}

function checkTool(source: Source, { key, keyPlace, value }: Entry): void {
  const problems = new Problems(source);
  check(TOOL, value, problems);
  const problem = nameProblem(key);
  if (problem !== undefined) problems.add(keyPlace, `'${key}' is not the name of a command: ${problem}`);
  checkPlaces(value, problems);
  readNetwork(childOf(value, 'network'), problems);
  checkTarget(value, problems);
  problems.throwIfAny();
  checkContainer(source, { key, keyPlace, value });
}

function checkTarget(tool: Node, problems: Problems): void {
  const node = childOf(tool, 'in');
  const text = textOf(node);
  if (node !== undefined && text !== undefined && readTarget(text) === undefined)
    problems.add(node.place, `expected ${TARGET_EXPECTED}, not '${text}'`);
}

/** What is said beside `in` must be something that a container can hold. */
function checkContainer(source: Source, entry: Entry): void {
  const node = childOf(entry.value, 'in');
  if (node === undefined) return;
  const tool = toolOf(source, entry);
  // That the host is there is the default, and is meant only where it is written.
  const isWritten = textOf(childOf(entry.value, 'fs_base')) === 'all';
  const found = unfitFor(
    policyOf({ ...tool, in: isWritten ? undefined : tool.in }, ANY_HOME),
    tool.in?.kind ?? 'image',
  );
  if (found === undefined) return;
  refuse(source, node.place, found.message, { hint: 'leave out one of the two: `in`, or what contradicts it' });
}

/** Everything but the tools that were found broken. */
function checkRest(source: Source, root: MapNode, broken: Config['broken']): void {
  const problems = new Problems(source);
  const entries = root.entries.map((entry) =>
    entry.key === 'tools' && entry.value.kind === 'map'
      ? { ...entry, value: { ...entry.value, entries: entry.value.entries.filter(({ key }) => !broken.has(key)) } }
      : entry,
  );
  check(CONFIG, { ...root, entries }, problems);
  problems.throwIfAny();
}

const mapEntries = (node: Node | undefined): readonly Entry[] => (node?.kind === 'map' ? node.entries : []);

/** The keys of each word, the old one first. */
const PLACE_KEYS: Readonly<Record<PlaceWord, readonly string[]>> = {
  write: ['fs_rw', 'fs_write'],
  read: ['fs_ro', 'fs_read'],
  hide: ['fs_hide'],
  expose: ['fs_expose'],
};

const placeNodes = (tool: Node, word: PlaceWord) =>
  PLACE_KEYS[word].flatMap((key) => itemsOf(childOf(tool, key))).filter((node) => textOf(node) !== undefined);

function checkPlaces(tool: Node, problems: Problems): void {
  for (const word of PLACE_WORDS) {
    for (const node of placeNodes(tool, word)) {
      const path = checkPath(node, problems);
      const problem = path === undefined ? undefined : placeProblem(word, path);
      if (problem !== undefined) problems.add(node.place, problem);
    }
  }
  const workspace = childOf(tool, 'fs_workspace');
  const folder = workspace?.kind === 'map' ? childOf(workspace, 'folder') : workspace;
  const word = textOf(folder);
  if (folder === undefined || word === undefined || isWorkspaceMode(word)) return;
  if (/[/~$]/.test(word)) checkPath(folder, problems);
  else
    problems.add(
      folder.place,
      `'${word}' is neither an absolute path nor one of ${WORKSPACE_MODES.join(', ')}`,
      didYouMean(word, WORKSPACE_MODES),
    );
}

/** Which home it is matters when the policy is used. */
const ANY_HOME = { home: '/home', passwdHome: undefined };

function checkPath(node: Node, problems: Problems): string | undefined {
  const expanded = expandToolPath(textOf(node) ?? '', ANY_HOME);
  if ('path' in expanded) return expanded.path;
  problems.add(node.place, `expected ${TOOL_PATH_EXPECTED}: ${expanded.problem}`, expanded.hint);
  return undefined;
}

function toolOf(source: Source, { key: name, value }: Entry): ToolPolicy {
  const none = withoutPolicy(name);
  const base = childOf(value, 'env_base');
  return {
    name,
    base: base === undefined ? none.base : { preset: textOf(base) as ToolBase, origin: source.where(base.place) },
    allow: itemsOf(childOf(value, 'env_allow')).map((item) => allowRule(source, item)),
    deny: mapEntries(childOf(value, 'env_deny')).map((entry) => denyRule(source, entry)),
    fs: {
      preset: (textOf(childOf(value, 'fs_base')) ?? none.fs.preset) as FsPreset,
      ...placesOf(source, value),
      workspace: workspaceOf(childOf(value, 'fs_workspace')),
    },
    network: readNetwork(childOf(value, 'network'), new Problems(source)),
    in: readTarget(textOf(childOf(value, 'in')) ?? ''),
  };
}

function placesOf(source: Source, tool: Node): Pick<ToolPolicy['fs'], PlaceWord | 'warnings'> {
  const located = (word: PlaceWord) =>
    placeNodes(tool, word).map((node) => ({ value: textOf(node) ?? '', origin: source.where(node.place) }));
  const node = childOf(tool, 'fs_workspace');
  const { folder } = workspaceOf(node);
  const { paths, warnings } = settledPlaces(
    { write: located('write'), read: located('read'), hide: located('hide'), expose: located('expose') },
    node === undefined || folder === undefined ? undefined : { value: folder, origin: source.where(node.place) },
  );
  const texts = (word: PlaceWord) => [...new Set(paths[word].map(({ value }) => value))];
  return { write: texts('write'), read: texts('read'), hide: texts('hide'), expose: texts('expose'), warnings };
}

function workspaceOf(node: Node | undefined): WorkspacePolicy {
  const isTable = node?.kind === 'map';
  const word = textOf(node) ?? 'real';
  const mode = isTable ? (textOf(childOf(node, 'mode')) ?? 'real') : word;
  const folder = isTable ? textOf(childOf(node, 'folder')) : word;
  return {
    ...(folder === undefined || isWorkspaceMode(folder) ? {} : { folder }),
    mode: isWorkspaceMode(mode) ? mode : 'real',
  };
}

function allowRule(source: Source, item: Node): AllowRule {
  const origin = source.where(item.place);
  return { pattern: Pattern.parse(textOf(item) ?? '', origin), origin };
}

function denyRule(source: Source, { key, keyPlace, value }: Entry): DenyRule {
  const origin = source.where(keyPlace);
  const except = itemsOf(childOf(value, 'except')).map((item) =>
    Pattern.parse(textOf(item) ?? '', source.where(item.place)),
  );
  return { pattern: Pattern.parse(key, origin), except, origin };
}
