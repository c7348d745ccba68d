import { resolve } from 'node:path';
import { type Bytes, bytesOfText, showBytes, textOfBytes } from '../host/bytes.ts';
import { homesOf, workingFolder, xdgOf } from '../host/folders.ts';
import { isUsableName } from '../host/parent-env.ts';
import { credentialRule } from '../policy/credential.ts';
import { nearest } from '../policy/nearest.ts';
import {
  type HostRule,
  NETWORK_OFF,
  NETWORK_ON,
  type NetworkMode,
  type NetworkPolicy,
  parseHost,
  settled,
  uniqueHosts,
} from '../policy/network/rules.ts';
import { hostsOfSet } from '../policy/network/sets.ts';
import { Pattern } from '../policy/pattern.ts';
import {
  expandPath,
  isWorkspaceMode,
  type PathRoots,
  type PlaceWord,
  placeProblem,
  settledPlaces,
} from '../policy/places.ts';
import type {
  CredentialRule,
  DenyRule,
  FilesystemPolicy,
  FsPreset,
  GuardMode,
  Isolation,
  Policy,
  SetRule,
  WorkspacePolicy,
} from '../policy/policy.ts';
import { type BaseName, isNeverName, isPresetEntry, nameProblem, presetRules } from '../policy/presets/presets.ts';
import type { Located, PathLists } from '../policy/profile/layer.ts';
import { refuseUnfitWorkspace } from '../policy/workspace.ts';
import type { Context } from './context.ts';
import { flagValues, type GivenFlag, hasFlag, lastText, type ParsedArguments, textValue, usageError } from './flags.ts';
import { PLACE_FLAGS } from './run-flags.ts';

/** The policy with the flags laid over it, in the order they were given. */
export function applyPolicyFlags(start: Policy, parsed: ParsedArguments, context: Context): Policy {
  const policy = parsed.flags.reduce(applyFlag, start);
  const agent = hasFlag(parsed, '--ssh-agent') ? withAgent(policy, context) : policy;
  return withNetFlags(withPlaceFlags(agent, parsed, context), parsed);
}

/** The variable and the socket it names: one is of no use without the other. */
function withAgent(policy: Policy, { env }: Context): Policy {
  if (policy.ssh !== undefined)
    throw usageError(
      '--ssh-agent and ssh_keys contradict each other: one is your own agent with all keys, the other has some of them',
      'leave out --ssh-agent',
    );
  const name = bytesOfText('SSH_AUTH_SOCK');
  const value = env.get(name);
  const socket = value === undefined ? undefined : textOfBytes(value);
  if (socket?.startsWith('/') !== true)
    throw usageError(
      '--ssh-agent: there is no agent, SSH_AUTH_SOCK names none',
      'start one: eval "$(ssh-agent)" && ssh-add',
    );
  const rule = { pattern: Pattern.ofBytes(name, '--ssh-agent'), origin: 'flag --ssh-agent' };
  return {
    ...policy,
    allow: [...policy.allow, rule],
    filesystem: { ...policy.filesystem, expose: [...policy.filesystem.expose, socket] },
  };
}

function applyFlag(policy: Policy, { name, value }: GivenFlag): Policy {
  const origin = `flag ${name}`;
  switch (name) {
    case '--base':
      return { ...policy, base: { preset: value as string as BaseName, origin } };
    case '--allow':
      return withAllow(policy, value);
    case '--deny':
      return { ...policy, deny: [...policy.deny, { pattern: Pattern.ofBytes(value, name), except: [], origin }] };
    case '--except':
      return { ...policy, deny: withException(policy.deny, Pattern.ofBytes(value, name)) };
    case '--set':
      return { ...policy, set: [...policy.set, parseSet(value)] };
    case '--unset':
      return withoutVariable(policy, value);
    case '--credential':
      return withCredential(policy, parseCredential(value));
    case '--redact':
      return { ...policy, redact: true };
    case '--guard':
      return { ...policy, guard: value as string as GuardMode };
    case '--fs':
      return { ...policy, filesystem: { ...policy.filesystem, preset: value as string as FsPreset, explicit: true } };
    case '--isolation':
      return { ...policy, isolation: value as string as Isolation };
    default:
      return policy;
  }
}

function withAllow(policy: Policy, entry: Bytes): Policy {
  if (isPresetEntry(entry)) return { ...policy, allow: [...policy.allow, ...presetRules(entry, 'flag --allow')] };
  const pattern = Pattern.ofBytes(entry, '--allow');
  const useless = pattern.exact && isNeverName(pattern.source);
  const warning = `--allow ${showBytes(pattern.source)} does nothing: it is on the code-injection list, which no policy overrides`;
  return {
    ...policy,
    allow: [...policy.allow, { pattern, origin: 'flag --allow' }],
    warnings: useless ? [...policy.warnings, warning] : policy.warnings,
  };
}

function withException(deny: readonly DenyRule[], except: Pattern): DenyRule[] {
  const last = deny.at(-1);
  if (last === undefined || last.origin !== 'flag --deny')
    throw usageError('--except has no --deny before it', 'write it right after the --deny it belongs to');
  return [...deny.slice(0, -1), { ...last, except: [...last.except, except] }];
}

function parseSet(text: Bytes): SetRule {
  const equals = text.indexOf('=');
  if (equals === -1)
    throw usageError('--set needs NAME=VALUE, and has no =', 'write --set NAME=VALUE; the value may be empty');
  const name = text.slice(0, equals) as Bytes;
  if (!isUsableName(name)) throw usageError('--set has an empty name', 'write --set NAME=VALUE');
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw usageError(
      `--set ${showBytes(name)} is refused: ${problem}`,
      isNeverName(name) ? 'set it inside, in the command itself, if it is really meant' : undefined,
    );
  return { name, value: text.slice(equals + 1) as Bytes, origin: 'flag --set' };
}

/** What a policy sets or injects under the name goes too; a later --set or --credential brings it back. */
function withoutVariable(policy: Policy, name: Bytes): Policy {
  if (!isUsableName(name) || /[*?[\]\s]/.test(name))
    throw usageError(`--unset ${showBytes(name)} is not the name of a variable`, 'for a pattern use --deny');
  return {
    ...policy,
    set: policy.set.filter((rule) => rule.name !== name),
    credentials: policy.credentials.filter(({ target }) => target !== name),
    deny: [...policy.deny, { pattern: Pattern.exactly(name), except: [], origin: 'flag --unset' }],
  };
}

/** The last one of a name counts. */
function withCredential(policy: Policy, rule: CredentialRule): Policy {
  const others = policy.credentials.filter(({ target }) => target !== rule.target);
  return { ...policy, credentials: [...others, rule] };
}

function parseCredential(text: Bytes): CredentialRule {
  const equals = text.indexOf('=');
  const target = (equals === -1 ? text : text.slice(0, equals)) as Bytes;
  const source = equals === -1 ? target : textValue(text.slice(equals + 1) as Bytes, '--credential');
  return credentialRule({ target, source, origin: 'flag --credential' });
}

const MODES = ['off', 'on', 'learn', 'ask'];

/** `--net` as often as it was given: one mode at most, and hosts on top of what the policy names. `@own` is settled last. */
function withNetFlags(policy: Policy, parsed: ParsedArguments): Policy {
  const words = flagValues(parsed, '--net').map((value) => textValue(value, '--net'));
  const network = words.length === 0 ? policy.network : flagNetwork(policy.network, words);
  return { ...policy, network: settled(network) };
}

function flagNetwork(given: NetworkPolicy, words: readonly string[]): NetworkPolicy {
  const modes = [...new Set(words.filter((word) => MODES.includes(word)))] as NetworkMode[];
  const hosts = words.filter((word) => !MODES.includes(word));
  const [mode, other] = modes;
  if (other !== undefined)
    throw usageError(`--net ${mode} and --net ${other} contradict each other`, 'keep one of them');
  if ((mode === 'on' || mode === 'off') && hosts.length > 0)
    throw usageError(
      `--net ${mode} and --net ${hosts[0]} contradict each other`,
      'name only the hosts, or leave them out',
    );
  if (mode === 'off') return NETWORK_OFF;
  if (mode === 'on') return NETWORK_ON;
  const isList = given.mode !== 'on' && given.mode !== 'off';
  return {
    mode: mode ?? (isList ? given.mode : 'names'),
    allow: uniqueHosts([...(isList ? given.allow : []), ...hosts.flatMap(hostFlag)]),
    deny: given.deny,
    own: given.own,
    limits: given.limits,
  };
}

/** A name of one word is a host of the network at hand, and more often a slip; with its port it is meant. */
function refuseSlip(word: string): void {
  if (!/^[a-z]+$/i.test(word) || word === 'own') return;
  const set = hostsOfSet(word) === undefined ? undefined : `@${word}`;
  const near = set ?? nearest(word, MODES);
  if (near !== undefined)
    throw usageError(
      `--net: '${word}' is not a host on the Internet`,
      `did you mean --net ${near}? A host: ${word}:443`,
    );
}

function hostFlag(word: string): readonly HostRule[] {
  refuseSlip(word);
  const parsed = parseHost(word === 'own' ? '@own' : word, 'flag --net');
  if ('problem' in parsed) throw usageError(`--net: ${parsed.problem}`, parsed.hint);
  return parsed.rules;
}

/** The folder the command runs in: this one, unless an agent is told another. */
export function workdirOf(parsed: ParsedArguments): string {
  return resolve(workingFolder(), lastText(parsed, '--workdir') ?? '');
}

/** The policy with what the command line says of places on top, and its workspace looked at. */
function withPlaceFlags(policy: Policy, parsed: ParsedArguments, { env }: Pick<Context, 'env'>): Policy {
  if (!namesPlaces(policy) && !PLACE_FLAGS.some(({ name }) => hasFlag(parsed, name))) return policy;
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

const namesPlaces = ({ filesystem: { write, read, hide, expose, workspace } }: Policy) =>
  [write, read, hide, expose].some((paths) => paths.length > 0) || workspace.folder !== undefined;

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
