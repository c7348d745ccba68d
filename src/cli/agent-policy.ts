import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Adapter } from '../agents/adapter.ts';
import { NO_CONFIG, readAgentConfig } from '../agents/config/read.ts';
import { type AgentConfig, type AgentMode, findRole } from '../agents/config/tables.ts';
import { placesThere } from '../agents/files.ts';
import { agentPolicy, heldBackReport } from '../agents/policy.ts';
import { findAdapter } from '../agents/registry.ts';
import { type Bytes, bufferOfBytes, showBytes } from '../host/bytes.ts';
import { textIn } from '../host/files.ts';
import { findCommand, homesOf, workingFolder } from '../host/folders.ts';
import { whyCommandsCouldWrite } from '../host/own-program.ts';
import { isLogInName, LOG_IN_MARK } from '../policy/log-ins.ts';
import { Pattern } from '../policy/pattern.ts';
import type { Policy } from '../policy/policy.ts';
import { asksForEverything, isPresetEntry } from '../policy/presets/presets.ts';
import { resolveProfiles } from '../policy/profile/resolve.ts';
import type { Context } from './context.ts';
import { flagValues, lastText, type ParsedArguments, textValue, usageError } from './flags.ts';
import { workdirOf } from './policy-flags.ts';
import { profilePlaces } from './profiles.ts';

export function agentConfig({ folders }: Pick<Context, 'folders'>): AgentConfig {
  return folders.config === undefined ? NO_CONFIG : readAgentConfig(join(folders.config, 'cordon.toml'));
}

export function agentNamed(parsed: ParsedArguments, config: AgentConfig): Adapter {
  const [name, ...more] = flagValues(parsed, '--agent');
  if (name === undefined || more.length > 0) throw usageError('name one agent', 'cordon agent list shows them');
  return findAdapter(textValue(name, '--agent'), config.adapters);
}

/** `--agent NAME` with its role, id and mode: what the other flags are laid over. */
export async function agentStartPolicy(parsed: ParsedArguments, context: Context): Promise<Policy> {
  refuseOpening(parsed);
  const config = agentConfig(context);
  const adapter = agentNamed(parsed, config);
  const [role, id, mode] = ['--role', '--id', '--mode'].map((flag) => lastText(parsed, flag));
  const known = role === undefined ? undefined : findRole(role, config);
  const profiles = [known?.profile, ...flagValues(parsed, '--profile').map((value) => textValue(value, '--profile'))];
  const named = profiles.filter((name) => name !== undefined);
  const resolved =
    named.length === 0
      ? undefined
      : await resolveProfiles(named, { ...profilePlaces(context), runIn: workdirOf(parsed) });
  return agentPolicy({
    adapter,
    role: known,
    id,
    mode: mode as AgentMode | undefined,
    config,
    env: context.env,
    layer: resolved?.layer,
    files: resolved?.files,
  });
}

export const noteInContainer = (agent: string) => ({
  trusted: true,
  note: `it gets the policy of agent ${agent}; --agent none for the usual one`,
});

/** Whether a program that goes by the name of a known agent is one, and what is said of it. */
export function knownAgentNote(command: Bytes, agent: string, { env }: Context): { trusted: boolean; note: string } {
  const { home, passwdHome } = homesOf(env);
  const path = findCommand(command, env);
  const why = whyCommandsCouldWrite(
    path,
    [workingFolder()],
    [home ?? '', passwdHome ?? ''].filter((one) => one !== ''),
  );
  if (why === undefined)
    return {
      trusted: true,
      note: `${showBytes(command)} gets the policy of agent ${agent}; --agent none for the usual one`,
    };
  return {
    trusted: false,
    note: `${showBytes(path)} gets no policy of agent ${agent}, since a command could have put it there (${why}); --agent ${agent} gives it${isOfNpm(path) ? NPM_PREFIX : ''}`,
  };
}

/** Any visible folder of a home may have been a workspace once, whatever npm's settings call it. */
const NPM_PREFIX = ', and so does a prefix of npm that is hidden: npm config set prefix ~/.npm-global';
const isOfNpm = (path: Bytes) => existsSync(bufferOfBytes(join(dirname(path), '../lib/node_modules') as Bytes));

export function logInNote(parsed: ParsedArguments, context: Context): string[] {
  const { name, logInFiles = [] } = agentNamed(parsed, agentConfig(context));
  const isVaulted = (file: string) => textIn(file).includes(LOG_IN_MARK);
  if (!isLogInName(name) || !placesThere(logInFiles, context.env).some(isVaulted)) return [];
  return [`the log-in of ${name} is in the vault, and used with --broker only; cordon creds give ${name} puts it back`];
}

/** In permissive mode: what guards hold back of what rules ask for. */
export function withModeReport(policy: Policy, parsed: ParsedArguments, context: Context): Policy {
  const role = lastText(parsed, '--role');
  const ofRole = role === undefined ? undefined : agentConfig(context).roles.get(role)?.mode;
  if ((lastText(parsed, '--mode') ?? ofRole) !== 'permissive') return policy;
  return { ...policy, warnings: [...policy.warnings, ...heldBackReport(policy, context.env)] };
}

/** There is no flag that turns an agent's filter off. */
function refuseOpening(parsed: ParsedArguments): void {
  const refused = (what: string, hint: string) =>
    usageError(`${what} is refused with an agent: nothing turns its filter off`, hint);
  if (flagValues(parsed, '--tool').length > 0)
    throw usageError('--agent and --tool both say what to start from', 'leave one of them out');
  if (flagValues(parsed, '--base').length > 0)
    throw refused('--base', 'an agent starts from the agent base; add names with --allow');
  if (flagValues(parsed, '--guard').some((mode) => mode === 'off'))
    throw refused('--guard off', 'hand over what it needs with --credential, or as extra_keys of a role');
  const everything = flagValues(parsed, '--allow').find(
    (entry) => !isPresetEntry(entry) && asksForEverything(Pattern.ofBytes(entry, '--allow')),
  );
  if (everything !== undefined)
    throw refused(`--allow '${everything}'`, 'name the variables, or a prefix such as MYAPP_*');
}
