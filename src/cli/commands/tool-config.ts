import { resolve } from 'node:path';
import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import { TOOL_BASES, TOOL_FS_BASES } from '../../policy/config/shape.ts';
import { containerTarget, targetText } from '../../policy/container-target.ts';
import { nearest } from '../../policy/nearest.ts';
import { parseHost } from '../../policy/network/rules.ts';
import { Pattern } from '../../policy/pattern.ts';
import { isWorkspaceMode, PLACE_WORDS, type PlaceWord, placeProblem } from '../../policy/places.ts';
import type { FsPreset, WorkspacePolicy } from '../../policy/policy.ts';
import { presetPatterns } from '../../policy/presets/presets.ts';
import { MOST_OF } from '../../policy/profile/read-network.ts';
import { refuseUnfitWorkspace } from '../../policy/workspace.ts';
import {
  addAllow,
  addDeny,
  addHosts,
  addPaths,
  cutOff,
  hostTexts,
  resetContainer,
  resetEnv,
  resetFs,
  resetNet,
  setContainer,
  setEnvBase,
  setFsBase,
  setNetworkLimit,
  setWorkspace,
  type ToolEdit,
} from '../../tools/edits.ts';
import { configureTool, toolNamed } from '../../tools/operations.ts';
import { type ToolSetup, toolSetup } from '../../tools/setup.ts';
import {
  expandToolPath,
  hasEnvPolicy,
  hasFsPolicy,
  hasNetworkPolicy,
  hasPolicy,
  type ToolPolicy,
} from '../../tools/tool-policy.ts';
import { EXCEPT_FLAG } from '../command-flags.ts';
import { type Context, print, showWarnings } from '../context.ts';
import {
  chosen,
  type FlagSpec,
  flagValues,
  hasFlag,
  JSON_FLAG,
  type ParsedArguments,
  parseArguments,
  textValue,
  usageError,
} from '../flags.ts';
import { warnAboutProtection, warnAboutTool, warnUnlessFirstOnPath } from './tool-warnings.ts';

const PARTS: Readonly<Record<string, () => ConfigPart>> = {
  env: () => ENV,
  fs: () => FS,
  net: () => NET,
  in: () => IN,
};

/** `cordon tool config TARGET env|fs|net|in …` */
export function run([target, part, ...args]: readonly Bytes[], context: Context): number {
  if (target === undefined || target.startsWith('-'))
    throw usageError('tool config needs the name of a tool', 'for example: cordon tool config ruff env base os-common');
  const found = part !== undefined && Object.hasOwn(PARTS, part) ? PARTS[part] : undefined;
  if (found !== undefined) return configure(found(), target, args, context);
  throw usageError(
    part === undefined
      ? 'tool config needs env, fs, net or in after the name of the tool'
      : `after the tool comes env, fs, net or in, not '${showBytes(part)}'`,
    `for example: cordon tool config ${showBytes(target)} env list`,
  );
}

/** One part of a tool's policy: how words change it, and how it is shown. */
interface ConfigPart {
  readonly flags?: readonly FlagSpec[];
  /** Undefined: it is only shown. */
  readonly editOf: (parsed: ParsedArguments, setup: ToolSetup) => ToolEdit | undefined;
  readonly asJson: (tool: ToolPolicy) => object;
  readonly asText: (tool: ToolPolicy) => string;
  /** What else there is to say of a change; `before` is the policy without it. */
  readonly warnings?: (parsed: ParsedArguments, before: () => ToolPolicy) => readonly string[];
}

/** Changes one part of a tool's policy, shows what it is now, and says what this machine makes of it. */
function configure(part: ConfigPart, target: Bytes, args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG, ...(part.flags ?? [])] });
  const setup = toolSetup(context.env);
  const edit = part.editOf(parsed, setup);
  const show = (tool: ToolPolicy) => print(parsed, context, part.asJson(tool), () => part.asText(tool));
  if (edit === undefined) show(toolNamed(setup, target));
  else {
    const warnings = part.warnings?.(parsed, () => toolNamed(setup, target)) ?? [];
    const { target: found, outcome } = configureTool(setup, target, edit);
    const tool = outcome.config.tools.get(found.name) as ToolPolicy;
    show(tool);
    warnAboutTool(tool, outcome, context);
    if (hasPolicy(tool)) warnUnlessFirstOnPath(setup, context);
    showWarnings(warnings, context);
  }
  warnAboutProtection(setup, context);
  return 0;
}

/** What the first word stands for, given the others; `list` where there is none. */
type Actions<More extends readonly unknown[] = []> = Readonly<
  Record<string, (words: readonly Bytes[], ...more: More) => ToolEdit | undefined>
>;

function act<More extends readonly unknown[]>(
  part: string,
  { words, rest = [] }: ParsedArguments,
  actions: Actions<More>,
  { more, unlisted = [] }: { readonly more: More; readonly unlisted?: readonly string[] },
): ToolEdit | undefined {
  const [action = 'list' as Bytes, ...others] = [...words, ...rest];
  return chosen(part, action, actions, unlisted)(others, ...more);
}

/** For a word that says everything by itself. */
const alone = (action: string, edit: ToolEdit | undefined) => (words: readonly Bytes[]) => {
  if (words.length > 0) throw usageError(`${action} takes no words`);
  return edit;
};

function oneOf(known: readonly string[], [base, ...more]: readonly Bytes[]): string {
  if (base !== undefined && known.includes(base) && more.length === 0) return base;
  const near = base === undefined ? undefined : nearest(base, known);
  throw usageError(
    `base takes one of ${known.join(', ')}`,
    near === undefined || near === base ? undefined : `did you mean ${near}?`,
  );
}

const orNone = (texts: readonly string[]) => (texts.length === 0 ? '(none)' : texts.join(' '));

const ENV_ACTIONS: Actions<[except: readonly string[]]> = {
  list: alone('list', undefined),
  base: (words) => setEnvBase(oneOf(TOOL_BASES, words)),
  allow: (words) => addAllow(patternTexts(atLeastOne('allow', words), 'env allow')),
  deny: (words, except) => addDeny(patternTexts(atLeastOne('deny', words), 'env deny'), except),
  reset: alone('reset', resetEnv),
};

const ENV: ConfigPart = {
  flags: [EXCEPT_FLAG],
  editOf: (parsed) => {
    const except = patternTexts(flagValues(parsed, EXCEPT_FLAG.name), EXCEPT_FLAG.name);
    const [action] = [...parsed.words, ...(parsed.rest ?? [])];
    if (except.length > 0 && action !== 'deny') throw usageError(`${EXCEPT_FLAG.name} belongs to env deny`);
    return act('env', parsed, ENV_ACTIONS, { more: [except] });
  },
  asJson: envAsJson,
  asText: envText,
  warnings: keptExceptions,
};

function atLeastOne(action: string, words: readonly Bytes[]): readonly Bytes[] {
  if (words.length === 0)
    throw usageError(
      `${action} needs at least one`,
      "for example: '*TOKEN*', in quotes so that the shell leaves it alone",
    );
  return words;
}

/** Checked before anything is touched; the file holds text, so a pattern must be text. */
function patternTexts(words: readonly Bytes[], where: string): string[] {
  return words.map((word) => {
    Pattern.ofBytes(word, where);
    return textValue(word, 'a pattern in cordon.toml');
  });
}

/** The later call may have been meant to take the exceptions back, which it doesn't. */
function keptExceptions(parsed: ParsedArguments, before: () => ToolPolicy): string[] {
  if (parsed.words[0] !== 'deny' || hasFlag(parsed, EXCEPT_FLAG.name)) return [];
  return before()
    .deny.filter(({ pattern, except }) => except.length > 0 && parsed.words.includes(pattern.source))
    .map(
      ({ pattern, except }) =>
        `${showBytes(pattern.source)} was denied before, except ${except.map(({ source }) => showBytes(source)).join(' ')}: the exceptions stay. To take them back: env reset, or edit cordon.toml`,
    );
}

/** The form is fixed: people and scripts read it. */
function envText(tool: ToolPolicy): string {
  const { name, base, allow, deny } = tool;
  const listed = base.preset === 'os-common' ? ` (${presetPatterns('os-common').join(' ')})` : '';
  return [
    `env policy for ${showText(name)}:`,
    `base : ${base.preset}${listed}`,
    `allow: ${orNone(allow.map(({ pattern }) => showBytes(pattern.source)))}`,
    `deny : ${orNone(deny.map(denyText))}`,
    ...(hasEnvPolicy(tool) ? [] : [withoutEnvPolicy(tool)]),
    '',
  ].join('\n');
}

function withoutEnvPolicy(tool: ToolPolicy): string {
  if (tool.in !== undefined) return 'no env policy — in its container the tool gets the full environment';
  return hasFsPolicy(tool)
    ? 'no env policy — the shim stays for the fs policy'
    : 'no policy — tool runs with full environment (symlink)';
}

function denyText({ pattern, except }: ToolPolicy['deny'][number]): string {
  const exceptions = except.map(({ source }) => showBytes(source)).join(' ');
  return showBytes(pattern.source) + (except.length === 0 ? '' : ` (except ${exceptions})`);
}

function envAsJson(tool: ToolPolicy): object {
  const text = ({ source }: { readonly source: Bytes }) => showBytes(source);
  return {
    tool: tool.name,
    base: tool.base.preset,
    allow: tool.allow.map(({ pattern }) => text(pattern)),
    deny: tool.deny.map(({ pattern, except }) => ({ pattern: text(pattern), except: except.map(text) })),
    policy: hasEnvPolicy(tool),
  };
}

/** They work as they did, and say what they are called now. */
const OLD_WORDS: Readonly<Record<string, PlaceWord>> = { ro: 'read', rw: 'write' };

const placeAction =
  (word: PlaceWord) =>
  (words: readonly Bytes[], setup: ToolSetup): ToolEdit =>
    addPlaces(word, words, setup);

const FS_ACTIONS: Actions<[ToolSetup]> = {
  list: alone('list', undefined),
  base: (words) => setFsBase(oneOf(TOOL_FS_BASES, words)),
  ...Object.fromEntries(PLACE_WORDS.map((word) => [word, placeAction(word)])),
  ...Object.fromEntries(Object.entries(OLD_WORDS).map(([old, word]) => [old, placeAction(word)])),
  workspace: (words, setup) => setWorkspace(workspaceOf(words, setup)),
  reset: alone('reset', resetFs),
};

const FS: ConfigPart = {
  editOf: (parsed, setup) => act('fs', parsed, FS_ACTIONS, { more: [setup], unlisted: Object.keys(OLD_WORDS) }),
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

const NET_ACTIONS: Actions = {
  list: alone('list', undefined),
  allow: (words) => addHosts('allow', hostsOf('allow', words)),
  deny: (words) => addHosts('deny', hostsOf('deny', words)),
  off: alone('off', cutOff),
  connections: (words) => setNetworkLimit('connections', numberOf('connections', words, MOST_OF.connections)),
  silence: (words) => setNetworkLimit('silence_seconds', numberOf('silence', words, MOST_OF.silence_seconds)),
  reset: alone('reset', resetNet),
};

const NET: ConfigPart = {
  editOf: (parsed) => act('net', parsed, NET_ACTIONS, { more: [] }),
  asJson: (tool) => ({ tool: tool.name, ...saidBy(tool), policy: hasNetworkPolicy(tool) }),
  asText: netText,
};

/** As they are written, once they can be read. */
function hostsOf(action: 'allow' | 'deny', words: readonly Bytes[]): string[] {
  if (words.length === 0) throw usageError(`${action} needs at least one host`, `for example: net ${action} @npm`);
  return words.map((word) => {
    const text = textValue(word, `net ${action}`);
    const parsed = parseHost(text, `net ${action}`);
    if ('problem' in parsed) throw usageError(parsed.problem, parsed.hint);
    return text;
  });
}

function numberOf(action: string, [word, ...more]: readonly Bytes[], most: number): number {
  const number = word !== undefined && /^[1-9][0-9]{0,8}$/.test(word) ? Number(word) : undefined;
  if (number === undefined || number > most || more.length > 0)
    throw usageError(`${action} takes one whole number from 1 to ${most}`);
  return number;
}

function saidBy({ network: { block, allow, deny, connections, silenceSeconds } }: ToolPolicy) {
  return {
    block: block?.value ?? false,
    allow: allow === undefined ? undefined : hostTexts(allow.rules),
    deny: hostTexts(deny),
    connections: connections?.value,
    silence_seconds: silenceSeconds?.value,
  };
}

function netText(tool: ToolPolicy): string {
  const said = saidBy(tool);
  const reached = said.allow === undefined ? 'all' : orNone(said.allow.map(showText));
  const lines = [
    `allow       : ${said.block ? 'none: the network is cut off' : reached}`,
    `deny        : ${orNone(said.deny.map(showText))}`,
    `connections : ${said.connections ?? 'as many as usual'}`,
    `silence     : ${said.silence_seconds === undefined ? 'as long as usual' : `${said.silence_seconds} s`}`,
  ];
  const none = hasNetworkPolicy(tool) ? [] : ['there is no net policy: the tool reaches the network as it is'];
  return [`net policy for ${showText(tool.name)}:`, ...lines, ...none, ''].join('\n');
}

/** `cordon tool config TARGET in podman:IMAGE|docker:IMAGE|container:NAME|list|reset` */
const IN: ConfigPart = {
  editOf: containerEdit,
  asJson: (tool) => ({ tool: tool.name, in: whereOf(tool) ?? null }),
  asText: (tool) => {
    const where = whereOf(tool);
    return `${showText(tool.name)} runs ${where === undefined ? 'on this machine' : `in ${showText(where)}`}\n`;
  },
};

const whereOf = (tool: ToolPolicy) => (tool.in === undefined ? undefined : targetText(tool.in));

function containerEdit(parsed: ParsedArguments): ToolEdit | undefined {
  const [word = 'list', ...more] = [...parsed.words, ...(parsed.rest ?? [])];
  if (more.length > 0) throw usageError('in takes one word', 'for example: in podman:node:22');
  if (word === 'list') return undefined;
  if (word === 'reset') return resetContainer;
  return setContainer(targetText(containerTarget(textValue(word as Bytes, 'in'), 'in')));
}
