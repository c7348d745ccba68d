import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { Decision } from '../decide/decide.ts';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { foldersOf, homesOf, workingFolder, xdgOf } from '../host/folders.ts';
import { currentEnvironment, ParentEnv } from '../host/parent-env.ts';
import { credentialTools } from '../launch/credentials.ts';
import { heldBack } from '../launch/prepare.ts';
import type { ConfigData } from '../policy/config/shape.ts';
import type { Policy } from '../policy/policy.ts';
import { resolveProfiles } from '../policy/profile/resolve.ts';
import { resolveCredentials } from '../secrets/resolve.ts';
import type { CredentialMap } from '../secrets/sources/source.ts';
import { agentConfigOf, NO_CONFIG, readAgentConfig, roleOf } from './config/read.ts';
import { type AgentConfig, type AgentMode, findRole, type Role } from './config/tables.ts';
import type { AgentEvent } from './events.ts';
import { parseLine } from './formats.ts';
import { chunksOf, Lines } from './lines.ts';
import { agentPolicy } from './policy.ts';
import { BUILT_IN_ADAPTERS, findAdapter } from './registry.ts';
import { type AgentLimits, type EndReason, runAgent } from './run.ts';

/** What a role of `cordon.toml` says, as an object. */
export type RoleData = NonNullable<ConfigData['roles']>[string];

/** Which agent to start, with what, and how long it may take. */
export interface SpawnOptions extends AgentLimits {
  readonly agent: string;
  readonly prompt: string;
  readonly workdir?: string;
  readonly model?: string;
  /** The name of a role of `config`, or the role itself. */
  readonly role?: string | RoleData;
  readonly id?: string;
  readonly mode?: AgentMode;
  /** The environment to choose from; that of this process when left out. */
  readonly env?: ParentEnv | Readonly<Record<string, string | undefined>>;
  /** A cordon.toml by its path, or the same as an object. No configuration is read unless it is given. */
  readonly config?: string | ConfigData;
  /** Changes to the policy besides its environment: isolation, filesystem, network. */
  readonly policy?: Pick<Partial<Policy>, 'isolation' | 'filesystem' | 'network'>;
  /** The agent may use its tools without asking, since nobody is there; true unless said otherwise. */
  readonly unasked?: boolean;
  /** Write an audit record into Cordon's state folder; off unless asked for. */
  readonly record?: boolean;
  readonly onEvent?: (event: AgentEvent) => void;
  /** What it writes to stderr, as it comes. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

/** How an agent ended, and what it said. */
export interface SpawnResult {
  readonly agent: string;
  readonly exitCode: number;
  readonly reason: EndReason;
  readonly notLoggedIn: boolean;
  /** The last thing it said, as far as its events tell. */
  readonly text: string;
  /** One decision for every variable, with the rule that made it. Never a value. */
  readonly decisions: readonly Decision[];
}

/** Runs one agent to its end. */
async function spawn(options: SpawnOptions): Promise<SpawnResult> {
  const env = envOf(options.env);
  const config = configOf(options.config);
  const adapter = findAdapter(options.agent, config.adapters);
  const asked = withChanges(await policyFor(options, config, env), options.policy);
  const { prompt, model, workdir = workingFolder(), unasked = true, record = false } = options;
  const held = await heldBack(asked, await credentialsFor(asked, env, workdir), env);
  const words = { prompt: bytesOfText(prompt), model: model === undefined ? undefined : bytesOfText(model) };
  const listener = new Listener(adapter.format, options.onEvent);
  const outcome = await runAgent(
    { adapter, env, workdir, ...words, unasked, record, ...held },
    {
      ...options,
      readOutput: (stdout) => listener.listen(stdout),
      readErrors: (stderr) => drained(stderr, options.onErrorOutput),
    },
  );
  return { agent: adapter.name, ...outcome, text: listener.text };
}

/** Field by field: nothing else of the policy can be changed, whatever the object holds. */
function withChanges(policy: Policy, changes: SpawnOptions['policy'] = {}): Policy {
  const { isolation = policy.isolation, filesystem = policy.filesystem, network = policy.network } = changes;
  return { ...policy, isolation, filesystem, network };
}

function envOf(env: SpawnOptions['env']): ParentEnv {
  return env instanceof ParentEnv ? env : ParentEnv.fromRecord(env ?? currentEnvironment());
}

function configOf(config: SpawnOptions['config']): AgentConfig {
  if (config === undefined) return NO_CONFIG;
  return typeof config === 'string' ? readAgentConfig(config) : agentConfigOf(config);
}

async function policyFor(
  { agent, role: given, id, mode, workdir }: SpawnOptions,
  config: AgentConfig,
  env: ParentEnv,
): Promise<Policy> {
  const adapter = findAdapter(agent, config.adapters);
  const role = roleFor(given, config);
  const profile = role?.profile === undefined ? undefined : await resolved(role.profile, config, env, workdir);
  return agentPolicy({ adapter, role, id, mode, config, env, layer: profile?.layer, files: profile?.files });
}

function roleFor(role: SpawnOptions['role'], config: AgentConfig): Role | undefined {
  if (role === undefined) return undefined;
  return typeof role === 'string' ? findRole(role, config) : roleOf(role, config);
}

async function resolved(profile: string, { file }: AgentConfig, env: ParentEnv, runIn: string | undefined) {
  const { home, passwdHome } = homesOf(env);
  const places = {
    config: file === undefined ? undefined : dirname(file),
    home: home ?? passwdHome,
    workdir: workingFolder(),
    runIn,
    xdg: xdgOf(env),
  };
  return resolveProfiles([profile], places);
}

async function credentialsFor({ credentials }: Policy, env: ParentEnv, workdir: string): Promise<CredentialMap> {
  if (credentials.length === 0) return new Map();
  const ask = () =>
    Promise.reject(new CordonError('vault', 'the vault is locked with a passphrase, and nobody can be asked here'));
  const workdirs = [workingFolder(), workdir];
  return resolveCredentials(credentials, credentialTools({ env, folders: foldersOf(env), workdirs, ask }));
}

const LONGEST_TEXT = 1024 * 1024;

/** Reads the output of an agent as events. */
class Listener {
  text = '';
  readonly #format: Parameters<typeof parseLine>[0];
  readonly #onEvent: (event: AgentEvent) => void;
  readonly #lines = new Lines();

  constructor(format: Parameters<typeof parseLine>[0], onEvent: (event: AgentEvent) => void = () => undefined) {
    this.#format = format;
    this.#onEvent = onEvent;
  }

  async listen(stdout: Readable): Promise<void> {
    for await (const chunk of chunksOf(stdout)) for (const line of this.#lines.add(chunk)) this.#hear(line);
    for (const line of this.#lines.end()) this.#hear(line);
  }

  #hear(line: string): void {
    for (const event of parseLine(this.#format, line)) {
      if (event.type === 'text') this.#remember(event);
      this.#onEvent(event);
    }
  }

  #remember({ text, partial = false }: Extract<AgentEvent, { type: 'text' }>): void {
    this.text = ((partial ? this.text : '') + text).slice(-LONGEST_TEXT);
  }
}

async function drained(stream: Readable, onChunk: (chunk: Buffer) => void = () => undefined): Promise<void> {
  for await (const chunk of chunksOf(stream)) onChunk(chunk);
}

/** Agents for programs: start one, know their names. */
export const agents = {
  spawn,
  names: (): readonly string[] => BUILT_IN_ADAPTERS.map(({ name }) => name),
} as const;
