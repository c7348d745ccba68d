import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject, onTestFinished } from 'vitest';
import { callOf, HEADERS, INITIALIZE } from '../mcp/http-support.ts';
import { type Called, readCall } from '../mcp/replica-support.ts';
import { eventually, get } from './kubernetes.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request to a pod, as a client sends it that knows the servers by the name of their Service; `fetch` would name the address. */
export async function ask(origin: string, name: string, body?: object, session = ''): Promise<Answer> {
  const id = session === '' ? {} : { 'mcp-session-id': session };
  const method = body === undefined ? 'DELETE' : 'POST';
  const headers = { ...HEADERS, ...id, host: 'cordon-front.cordon', authorization: `Bearer ${inject('tokens')[name]}` };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(`${origin}/mcp`, { method, headers, agent: false }, resolve);
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}

/** Where a server is now: a pod that is made anew has another address. */
export async function originOf(server: 0 | 1): Promise<string> {
  const { status } = await get('pod', `cordon-${server}`);
  return `http://${status.podIP}:8730`;
}

/** A session until the test ends: a user may have only some at a time. */
export async function open(name: string, origin: string): Promise<string> {
  const { status, headers } = await ask(origin, name, INITIALIZE);
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string') throw new Error(`${name} gets no session: ${status}`);
  // Where the server is gone, so is the session.
  onTestFinished(() => ask(origin, name, undefined, id).then(ignore, ignore));
  return id;
}

const ignore = () => undefined;

export async function call(name: string, id: string, command: string, origin: string): Promise<Called> {
  const { status, text: said } = await ask(origin, name, callOf(command), id);
  return readCall(status, said);
}

/** Both servers are ready, and each knows the other by its name: names of new pods come to be known a moment later. */
export async function bothServe(): Promise<[string, string]> {
  const origins = (await Promise.all(
    ([0, 1] as const).map((server) =>
      eventually(async () => {
        const { metadata, status } = await get('pod', `cordon-${server}`);
        if (metadata.deletionTimestamp !== undefined || !isReady(status))
          throw new Error(`cordon-${server} is not ready`);
        return `http://${status.podIP}:8730`;
      }),
    ),
  )) as [string, string];
  for (const origin of origins)
    for (const name of Object.keys(inject('tokens')))
      await eventually(async () => {
        // Of a session that is not known only the server says so that has the user; 401 for a token that was taken back.
        const { status } = await ask(origin, name, callOf('true'), 'none');
        if (status !== 404 && status !== 401) throw new Error(`${name} at ${origin}: ${status}`);
      });
  return origins;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the API server answers
export const isReady = (status: any): boolean =>
  (status.conditions ?? []).some(
    (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
  );
