// Many users of one server over HTTP, for the benchmark and for the test of the same. Everything is checked against what the user may see.
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

export interface Target {
  readonly origin: string;
  /** The process that serves. */
  readonly pid: number;
  readonly tokens: ReadonlyMap<string, string>;
}

export interface OpenedSession {
  readonly user: string;
  readonly token: string;
  readonly id: string;
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'load', version: '1' } };

function post(origin: string, token: string, body: object, headers = {}): Promise<Response> {
  const all = { ...HEADERS, authorization: `Bearer ${token}`, ...headers };
  return fetch(`${origin}/mcp`, { method: 'POST', headers: all, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
}

/** So many sessions of each user, all open at once. */
export async function openAll({ origin, tokens }: Target, each: number): Promise<OpenedSession[]> {
  const wanted = [...tokens].flatMap((entry) => Array.from({ length: each }, () => entry));
  return inTurn(wanted.length, 8, async (i) => {
    const [user, token] = wanted[i] as [string, string];
    const response = await post(origin, token, { id: 1, method: 'initialize', params: CLIENT });
    const text = await response.text();
    const id = response.headers.get('mcp-session-id');
    if (!response.ok || id === null)
      throw new Error(`no session for ${user}: ${response.status} ${text.slice(0, 200)}`);
    return { user, token, id };
  });
}

/** What `env` printed in a call of this session. */
export async function printedEnvironment(origin: string, { token, id }: OpenedSession): Promise<string[]> {
  const params = { name: 'Bash', arguments: { command: 'env -u _ -u PWD -u SHLVL | sort' } };
  const response = await post(origin, token, { id: 2, method: 'tools/call', params }, { 'mcp-session-id': id });
  const [, data] = /^data: (\{.*)$/m.exec(await response.text()) ?? [];
  return JSON.parse(data ?? '{}').result?.structuredContent?.output?.split('\n') ?? [`status ${response.status}`];
}

/** Runs the numbers from 0 on, so many at once. */
export async function inTurn<T>(count: number, atOnce: number, act: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < count; i = next++) results[i] = await act(i);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

export interface Figures {
  readonly descriptors: number;
  readonly processes: number;
  readonly megabytes: number;
  readonly files: number;
}

const STILL_TURNS = 1000;

/** What must not grow. The launchers for the next calls, and what tidies up after the last ones, are few and must be done first. */
export async function figuresOf({ pid }: Target, folder: string): Promise<Figures> {
  const now = () => `${childrenOf(pid)} ${readdirSync(`/proc/${pid}/fd`).length}`;
  for (let before = '', still = 0; still < STILL_TURNS; still = before === now() ? still + 1 : 0) {
    before = now();
    await turn();
  }
  const memory = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: childrenOf(pid),
    megabytes: Number(memory) / 1024,
    files: readdirSync(folder, { recursive: true }).length,
  };
}

function childrenOf(pid: number): number {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).length;
}
