import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { User } from '../support/users.ts';
import { atEnd, type Era, newClient, Place, type Running } from './support.ts';

/** A server for alice and bob on a free port of this machine. */
export interface Served {
  readonly place: Place;
  readonly server: Running;
  readonly origin: string;
  readonly tokens: Readonly<Record<'alice' | 'bob', string>>;
}

export async function addToken(place: Place, user: string): Promise<string> {
  const adding = place.start(['serve', 'token', 'add', user]);
  if ((await adding.ended) !== 0) throw new Error(adding.stderr);
  return adding.stdout.trim();
}

export async function serve(
  user: User,
  more: readonly string[] = [],
  place = new Place(user),
  started: Started = {},
): Promise<Served> {
  const [alice, bob] = await Promise.all([addToken(place, 'alice'), addToken(place, 'bob')]);
  const { server, origin } = await startServer(place, more, started);
  return { place, server, origin, tokens: { alice, bob } };
}

export interface Started {
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function startServer(place: Place, more: readonly string[] = [], { through, env }: Started = {}) {
  const flags = ['--workspaces', place.workspaces, '--listen', '127.0.0.1:0'];
  const server = place.start(['serve', ...flags, ...more], env, through);
  const [, origin = ''] = await server.says(/listening on (http:\/\/\S+)\/mcp/);
  return { server, origin };
}

export async function connectHttp({ origin }: Served, token: string, era: Era = 'legacy'): Promise<Client> {
  const { client, transport } = httpClient(origin, token, era);
  await client.connect(transport);
  return client;
}

export function httpClient(origin: string, token: string, era: Era = 'legacy') {
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = newClient(era);
  atEnd(() => client.close());
  return { client, transport };
}

export const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

let calls = 1;

/** Each with a number of its own: the end of one connection would cancel another call of the same number. */
export const callOf = (command: string, id = ++calls) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'Bash', arguments: { command } },
});

/** One request, as bytes or JSON. */
export function post(
  { origin }: Pick<Served, 'origin'>,
  token: string | undefined,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...authorization, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A session opened by hand; its id. */
export async function openById(served: Served, token: string): Promise<string> {
  const response = await post(served, token, INITIALIZE);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}
