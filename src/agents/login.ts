import type { Bytes } from '../host/bytes.ts';
import { bytesOfText, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Adapter } from './adapter.ts';
import { locateAgent } from './command.ts';
import type { AgentConfig } from './config/tables.ts';
import { placesThere } from './files.ts';
import { Lines } from './lines.ts';
import { startVersion } from './spawn.ts';

/** What is known about an agent on this machine. Names only, never a value. */
export interface AgentState {
  readonly name: string;
  readonly program: string;
  readonly origin: string;
  readonly path: string | null;
  readonly version: string | null;
  /** Null where there is nothing to log in to, or no way to tell from outside. */
  readonly loggedIn: boolean | null;
  readonly keys: readonly { readonly name: string; readonly set: boolean }[];
  readonly install: string;
}

export function agentStates(config: AgentConfig, env: ParentEnv): Promise<AgentState[]> {
  return Promise.all(config.adapters.map((adapter) => agentState(adapter, config, env)));
}

async function agentState(adapter: Adapter, config: AgentConfig, env: ParentEnv): Promise<AgentState> {
  const { name, program, origin, install } = adapter;
  const path = pathOf(adapter, env);
  const keys = keyStates(adapter, config, env);
  return {
    name,
    program,
    origin,
    path: path === undefined ? null : showBytes(path),
    version: path === undefined ? null : await versionOf(adapter, env),
    loggedIn: isLoggedIn(adapter, keys, env),
    keys,
    install,
  };
}

function pathOf(adapter: Adapter, env: ParentEnv): Bytes | undefined {
  try {
    return locateAgent(adapter, env);
  } catch (error) {
    if (error instanceof CordonError) return undefined;
    throw error;
  }
}

/** A key is set when the parent has the variable, or the configuration says where its value comes from. */
function keyStates(adapter: Adapter, { additions }: AgentConfig, env: ParentEnv): AgentState['keys'] {
  const added = additions.get(adapter.name);
  const names = [...adapter.extraKeys, ...(added?.keys ?? []).map((key): string => key.name)];
  const configured = new Set<string>(added?.credentials.map(({ target }) => target));
  const isSet = (name: string) => configured.has(name) || (env.get(bytesOfText(name)) ?? '') !== '';
  return [...new Set(names)].map((name) => ({ name, set: isSet(name) }));
}

function isLoggedIn(
  { logIn, logInKeys, logInFiles }: Adapter,
  keys: AgentState['keys'],
  env: ParentEnv,
): boolean | null {
  if (logIn === undefined) return null;
  const counts = (name: string) => logInKeys?.includes(name) ?? /KEY|TOKEN|CREDENTIALS/.test(name);
  if (keys.some(({ name, set }) => set && counts(name))) return true;
  return logInFiles === undefined ? null : placesThere(logInFiles, env).length > 0;
}

const VERSION_LIMIT_MS = 15_000;

async function versionOf(adapter: Adapter, env: ParentEnv): Promise<string | null> {
  if (adapter.version === undefined) return null;
  const { child, result } = startVersion(adapter, env);
  const limit = setTimeout(() => child.kill('SIGKILL'), VERSION_LIMIT_MS);
  try {
    const lines = await firstLines(child.stdout as NodeJS.ReadableStream);
    await result;
    return (
      lines.map((line) => /\d+\.\d+(?:[.+-]\w+)*/.exec(line)?.[0]).find((version) => version !== undefined) ?? null
    );
  } finally {
    clearTimeout(limit);
  }
}

const MOST_LINES = 20;

async function firstLines(stdout: NodeJS.ReadableStream): Promise<string[]> {
  const lines = new Lines();
  const found: string[] = [];
  for await (const chunk of stdout) if (found.length < MOST_LINES) found.push(...lines.add(chunk as Buffer));
  return [...found, ...lines.end()].slice(0, MOST_LINES);
}
