import { knownAgent } from '../agents/known.ts';
import { wildcardWarnings } from '../decide/wildcard-warnings.ts';
import { type Bytes, bytesOfText, showBytes, textOfBytes } from '../host/bytes.ts';
import { homesOf, projectProfileAt, workingFolder } from '../host/folders.ts';
import { isUsableName } from '../host/parent-env.ts';
import { credentialRule } from '../policy/credential.ts';
import { Pattern } from '../policy/pattern.ts';
import {
  type CredentialRule,
  DEFAULT_POLICY,
  type DenyRule,
  type FsPreset,
  type GuardMode,
  type Isolation,
  MARKER_ORIGIN,
  type Policy,
  type SetRule,
} from '../policy/policy.ts';
import {
  asksForEverything,
  BASE_NAMES,
  type BaseName,
  isNeverName,
  isPresetEntry,
  nameProblem,
  presetRules,
} from '../policy/presets/presets.ts';
import type { Context } from './context.ts';
import {
  type FlagSpec,
  flagValues,
  type GivenFlag,
  hasFlag,
  type ParsedArguments,
  textValue,
  usageError,
} from './flags.ts';
import { withNetFlags } from './net-flags.ts';
import { PLACE_FLAGS, withPlaceFlags } from './place-flags.ts';

export const POLICY_FLAGS: readonly FlagSpec[] = [
  { name: '--profile', value: 'NAME|FILE', help: 'start from this profile; several add up in order' },
  { name: '--tool', value: 'TOOL', help: 'start from the policy of this tool' },
  {
    name: '--agent',
    value: 'AGENT',
    help: 'start from the policy of this agent; none: also a known agent gets no policy of its own',
  },
  {
    name: '--policy',
    value: 'FILE',
    help: 'start from a whole policy in JSON, with nothing left to look up elsewhere',
  },
  { name: '--role', value: 'ROLE', help: 'with an agent: what this role of cordon.toml adds' },
  { name: '--id', value: 'ID', help: 'with an agent: the id that scopes of credentials go by' },
  {
    name: '--mode',
    value: 'MODE',
    choices: ['strict', 'permissive'],
    help: 'with an agent: strict starts nothing when the guard holds something back, permissive reports it',
  },
  {
    name: '--base',
    value: 'PRESET',
    choices: BASE_NAMES,
    help: 'starting set: all, none, os-common (default), core or agent',
  },
  { name: '--allow', value: 'PAT', help: 'also pass what matches; repeatable' },
  { name: '--deny', value: 'PAT', help: 'drop what matches, whatever else says; repeatable' },
  { name: '--except', value: 'PAT', help: 'an exception of the --deny before it; repeatable' },
  { name: '--set', value: 'K=V', help: 'set a variable to this value; repeatable' },
  { name: '--unset', value: 'NAME', help: 'not there at all: neither inherited, nor set or injected; repeatable' },
  {
    name: '--credential',
    value: 'NAME[=SOURCE]',
    help: 'inject a credential, from the vault unless SOURCE says otherwise; repeatable',
  },
  {
    name: '--broker',
    value: 'NAME@HOST|@SERVICE',
    optional: /^(?:@[a-z0-9]+|[A-Za-z_]\w*(?:=[^\s@]+)?@\S+|ssh:.*)$/,
    help: 'the command holds a placeholder, the value goes to HOST alone, from outside (ssh:KEY@HOST: a key of yours); alone: the key or log-in of the agent',
  },
  {
    name: '--env-file',
    value: 'FILE',
    help: 'variables of a file, NAME=value; references such as op:// and vault:// are injected; repeatable',
  },
  { name: '--credential-timeout', value: 'SECONDS', help: 'how long all credentials together may take (default 30)' },
  {
    name: '--guard',
    value: 'MODE',
    choices: ['off', 'strip', 'forbid'],
    help: 'names and values that look like credentials: off (default), strip them, or forbid the launch',
  },
  {
    name: '--fs',
    value: 'PRESET',
    choices: ['all', 'guarded', 'workspace', 'minimal'],
    help: 'what of the filesystem is there: all, guarded (default), workspace or minimal',
  },
  ...PLACE_FLAGS,
  { name: '--ssh-agent', help: 'let the command use your ssh-agent, with every key that is in it' },
  {
    name: '--net',
    value: 'on|off|own|learn|ask|HOST',
    offers: ['on', 'off', 'own', 'learn', 'ask'],
    help: 'the network: on (default), off, or only these hosts (NAME, *.NAME, HOST:PORT, @SET); repeatable',
  },
  {
    name: '--isolation',
    value: 'MODE',
    choices: ['auto', 'barrier', 'filter'],
    help: 'auto (default: the barrier, else the filter with a warning), barrier or filter',
  },
  { name: '--redact', help: 'replace injected credentials in the output by [NAME]' },
];

/** For what can also be started in a container. */
export const IN_FLAG: FlagSpec = {
  name: '--in',
  value: 'ENGINE:IMAGE',
  offers: ['podman:', 'docker:', 'container:'],
  help: 'in a container: podman:IMAGE, docker:IMAGE, or container:NAME for one that runs',
};

/** For what is started from a terminal. */
export const QUIET_FLAGS: readonly FlagSpec[] = [
  { name: '--quiet', help: 'leave out what is only good to know; -q and CORDON_QUIET=1 do the same' },
  { name: '-q', help: 'the same as --quiet' },
];

/** What `run` takes besides a policy. */
export const RUN_FLAGS: readonly FlagSpec[] = [
  IN_FLAG,
  { name: '--dry-run', help: 'show decisions, places and network, start nothing' },
  { name: '--plan', help: 'show the plan too, start nothing' },
  { name: '--trace', help: 'tell at the end what of all that it tried the policy kept away or led elsewhere' },
  { name: '--write-profile', value: 'FILE', help: 'with --trace: also write a profile that lets it happen' },
  {
    name: '--throwaway-home',
    help: 'HOME is made for this run alone: nothing of your own is read or shown, nothing is kept or recorded',
  },
  ...QUIET_FLAGS,
];

export const isQuiet = (parsed: ParsedArguments, { env }: Pick<Context, 'env'>) =>
  hasFlag(parsed, '--quiet') || hasFlag(parsed, '-q') || env.get(bytesOfText('CORDON_QUIET')) === '1';

/** The policy with the flags laid over it, in the order they were given. */
function applyPolicyFlags(start: Policy, parsed: ParsedArguments, context: Context): Policy {
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
    throw usageError(`--unset ${showBytes(name)} is no name of a variable`, 'for a pattern use --deny');
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

/**
 * The policy for starting a command from a terminal. A known agent gets its own, unless something says what to start from; what was not
 * asked for otherwise gets what people set for their terminals, and the policy's name for prompts.
 */
export async function policyForCommand(
  given: ParsedArguments,
  command: Bytes | undefined,
  context: Context,
): Promise<CommandPolicy> {
  const { parsed, notes } = await withKnownAgent(given, command, context);
  const project = STARTING_POINTS.some((flag) => hasFlag(parsed, flag)) ? undefined : await projectsOwn(context);
  const policy = await policyFromFlags(parsed, context, project?.policy);
  const isPlain = !['--profile', '--tool', '--policy', '--base'].some((flag) => hasFlag(parsed, flag));
  const mark = project?.policy === undefined ? withTerminal : withMarker;
  return {
    policy: isPlain ? mark(policy) : policy,
    notes: [...notes, ...(project === undefined ? [] : [project.note])],
  };
}

/** Most projects carry none, and then nothing is loaded for it. */
async function projectsOwn(context: Context) {
  const { home, passwdHome } = homesOf(context.env);
  const path = projectProfileAt(workingFolder(), [home, passwdHome]);
  return path === undefined ? undefined : (await import('./project-policy.ts')).projectPolicy(path, context);
}

export interface CommandPolicy {
  readonly policy: Policy;
  /** Good to know, and nothing to worry about. */
  readonly notes: readonly string[];
}

const STARTING_POINTS = ['--profile', '--tool', '--agent', '--policy', '--base', '--guard'];
const NO_AGENT = 'none';

async function withKnownAgent(parsed: ParsedArguments, command: Bytes | undefined, context: Context) {
  const flags = parsed.flags.filter(({ name, value }) => name !== '--agent' || value !== NO_AGENT);
  const others = { ...parsed, flags };
  const agent = command === undefined ? undefined : knownAgent(command);
  const isSaid = flags.length < parsed.flags.length || STARTING_POINTS.some((flag) => hasFlag(parsed, flag));
  if (agent === undefined || command === undefined || isSaid) return { parsed: others, notes: [] };
  const { knownAgentNote, noteInContainer } = await import('./agent-policy.ts');
  // In a container its program is the image's, which this machine does not look at.
  const { trusted, note } = hasFlag(parsed, IN_FLAG.name)
    ? noteInContainer(agent)
    : knownAgentNote(command, agent, context);
  const added = trusted ? [{ name: '--agent', value: bytesOfText(agent) }] : [];
  return { parsed: { ...others, flags: [...added, ...flags] }, notes: [note] };
}

/** What people set for their terminals. Files of certificates that it names are there as copies of the certificates alone. */
export function withTerminal(policy: Policy): Policy {
  return withMarker({ ...policy, allow: [...policy.allow, ...presetRules('@terminal', MARKER_ORIGIN)] });
}

/** The policy's name, for prompts. */
export function withMarker(policy: Policy): Policy {
  const name = bytesOfText('CORDON');
  const isNamed =
    policy.set.some((rule) => rule.name === name) || policy.deny.some(({ pattern }) => pattern.matches(name));
  const marker = { name, value: bytesOfText(policy.origin), origin: MARKER_ORIGIN };
  return isNamed ? policy : { ...policy, set: [...policy.set, marker] };
}

/** The policy a command line asks for. Profiles and other surfaces are loaded only when named. */
export async function policyFromFlags(
  parsed: ParsedArguments,
  context: Context,
  start: Policy = DEFAULT_POLICY,
): Promise<Policy> {
  const policy = await withEnvFiles(await policyWithoutBroker(parsed, context, start), parsed, context);
  if (flagValues(parsed, '--broker').length === 0) return policy;
  return (await import('./broker-flags.ts')).withBrokerFlags(policy, parsed, context);
}

async function withEnvFiles(policy: Policy, parsed: ParsedArguments, context: Context): Promise<Policy> {
  const files = flagValues(parsed, '--env-file').map((value) => textValue(value, '--env-file'));
  if (files.length === 0) return policy;
  const { withEnvFile } = await import('./project-policy.ts');
  return files.reduce((sum, file) => withEnvFile(sum, file, context), policy);
}

/** Profiles and other surfaces are loaded only when named. */
async function policyWithoutBroker(parsed: ParsedArguments, context: Context, start: Policy): Promise<Policy> {
  if (flagValues(parsed, '--policy').length > 0)
    return withOpenWarnings(applyPolicyFlags(await wholePolicy(parsed), parsed, context), parsed, context);
  if (flagValues(parsed, '--agent').length > 0) {
    const { agentStartPolicy, withModeReport } = await import('./agent-policy.ts');
    const start = await agentStartPolicy(parsed, context);
    return withModeReport(applyPolicyFlags(start, parsed, context), parsed, context);
  }
  for (const flag of ['--role', '--id', '--mode']) {
    if (flagValues(parsed, flag).length > 0) throw usageError(`${flag} needs an agent`, 'give --agent NAME too');
  }
  if (flagValues(parsed, '--tool').length > 0) {
    if (flagValues(parsed, '--profile').length > 0)
      throw usageError('--tool and --profile do not go together', 'start from one of them');
    const { toolStartPolicy } = await import('./commands/tool-start-policy.ts');
    return withOpenWarnings(applyPolicyFlags(toolStartPolicy(parsed, context), parsed, context), parsed, context);
  }
  const names = flagValues(parsed, '--profile').map((value) => textValue(value, '--profile'));
  if (names.length === 0) return withOpenWarnings(applyPolicyFlags(start, parsed, context), parsed, context);
  const { loadProfiles, withWildcardWarnings } = await import('./profiles.ts');
  return withWildcardWarnings(applyPolicyFlags(await loadProfiles(names, context), parsed, context), context);
}

async function wholePolicy(parsed: ParsedArguments): Promise<Policy> {
  const [file, second] = flagValues(parsed, '--policy').map((value) => textValue(value, '--policy'));
  if (second !== undefined) throw usageError('--policy is given once');
  const other = ['--profile', '--tool', '--agent', '--role', '--id', '--mode'].find((name) => hasFlag(parsed, name));
  if (other !== undefined)
    throw usageError(`--policy and ${other} both say what to start from`, 'leave one of them out');
  return (await import('../policy/whole-policy.ts')).readWholePolicy(file as string);
}

/** Whoever lets everything through hears what that is; whoever names variables or a prefix knows. */
function withOpenWarnings(policy: Policy, parsed: ParsedArguments, { env }: Context): Policy {
  const isOpen = flagValues(parsed, '--allow').some(
    (entry) => !isPresetEntry(entry) && asksForEverything(Pattern.ofBytes(entry, '--allow')),
  );
  return isOpen ? { ...policy, warnings: [...policy.warnings, ...wildcardWarnings(policy, env)] } : policy;
}
