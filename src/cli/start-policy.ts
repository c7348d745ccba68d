import { knownAgent } from '../agents/known.ts';
import { wildcardWarnings } from '../decide/wildcard-warnings.ts';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { homesOf, projectProfileAt, workingFolder } from '../host/folders.ts';
import { type ContainerTarget, containerTarget } from '../policy/container-target.ts';
import { Pattern } from '../policy/pattern.ts';
import { DEFAULT_POLICY, MARKER_ORIGIN, type Policy } from '../policy/policy.ts';
import { asksForEverything, isPresetEntry, presetRules } from '../policy/presets/presets.ts';
import type { Context } from './context.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from './flags.ts';
import { applyPolicyFlags } from './policy-flags.ts';
import { IN_FLAG } from './run-flags.ts';

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
  const mark = project?.policy === undefined ? withTerminal : withMarker;
  return {
    policy: isPlain(parsed) ? mark(policy) : policy,
    notes: [...notes, ...(project === undefined ? [] : [project.note])],
  };
}

/** Nothing on the command line says what to start from, but for an agent. */
const isPlain = (parsed: ParsedArguments) =>
  !['--profile', '--tool', '--policy', '--base'].some((flag) => hasFlag(parsed, flag));

/** What `cordon run --agent` starts an agent with; no prompt of its own asks for the policy's name. */
export async function policyForAgent(parsed: ParsedArguments, context: Context): Promise<Policy> {
  const policy = await policyFromFlags(parsed, context);
  return isPlain(parsed) ? withTerminalNames(policy) : policy;
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

export const withTerminal = (policy: Policy) => withMarker(withTerminalNames(policy));

/** What people set for their terminals. Files of certificates that it names are there as copies of the certificates alone. */
function withTerminalNames(policy: Policy): Policy {
  return { ...policy, allow: [...policy.allow, ...presetRules('@terminal', MARKER_ORIGIN)] };
}

/** The policy's name, for prompts. Where nothing can be reached, npm is told not to ask again, for which it waits a minute. */
export function withMarker(policy: Policy): Policy {
  const wanted = [
    ['CORDON', policy.origin],
    ...(policy.network.mode === 'off' ? [['npm_config_fetch_retries', '0']] : []),
  ] as const;
  const added = wanted
    .map(([name, value]) => ({ name: bytesOfText(name), value: bytesOfText(value), origin: MARKER_ORIGIN }))
    .filter(({ name }) => !policy.set.some((rule) => rule.name === name))
    .filter(({ name }) => !policy.deny.some(({ pattern }) => pattern.matches(name)));
  return { ...policy, set: [...policy.set, ...added] };
}

/** The policy a command line asks for. Profiles and other surfaces are loaded only when named. */
export async function policyFromFlags(
  parsed: ParsedArguments,
  context: Context,
  start: Policy = DEFAULT_POLICY,
): Promise<Policy> {
  const policy = await withEnvFiles(await policyWithoutBroker(parsed, context, start), parsed, context);
  if (flagValues(parsed, '--broker').length === 0) return withLogInNote(policy, parsed, context);
  return (await import('./broker-flags.ts')).withBrokerFlags(policy, parsed, context);
}

/** Where the log-in of an agent is in the vault, its file is of no use to it. */
async function withLogInNote(policy: Policy, parsed: ParsedArguments, context: Context): Promise<Policy> {
  if (flagValues(parsed, '--agent').length === 0) return policy;
  const { logInNote } = await import('./agent-policy.ts');
  return { ...policy, warnings: [...policy.warnings, ...logInNote(parsed, context)] };
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

export const isQuiet = (parsed: ParsedArguments, { env }: Pick<Context, 'env'>) =>
  hasFlag(parsed, '--quiet') || hasFlag(parsed, '-q') || env.get(bytesOfText('CORDON_QUIET')) === '1';

/** What runs on this machine alone does not take the policy of a tool that is meant for elsewhere. */
export async function refuseContainer(parsed: ParsedArguments, context: Context, command: string): Promise<void> {
  if ((await targetOf(parsed, context)) === undefined) return;
  throw usageError(`this tool runs in a container, and ${command} does not`, 'cordon run --tool TOOL -- CMD does');
}

/** Which container a command is asked to run in: the one that is named, else that of the tool whose policy it gets. */
export async function targetOf(parsed: ParsedArguments, context: Context): Promise<ContainerTarget | undefined> {
  const [given, ...more] = flagValues(parsed, IN_FLAG.name);
  if (more.length > 0) throw usageError('--in is given once', 'a command runs in one container');
  if (given !== undefined) return containerTarget(textValue(given, IN_FLAG.name));
  if (flagValues(parsed, '--tool').length === 0) return undefined;
  return (await import('./commands/tool-start-policy.ts')).toolAsked(parsed, context).tool.in;
}

/** Most launches need nothing of the vault or of any other source, and then nothing is loaded for them. */
export const needsValues = ({ credentials, logIns = [] }: Policy) =>
  credentials.length > 0 || logIns.some(({ vaulted }) => vaulted !== undefined);
