import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { callShell, type Event, type Protocol, type Script } from './protocol.ts';
import { responses } from './responses.ts';

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];

export interface Model {
  readonly address: string;
  /** Every path that was asked for, for the message of a failing test. */
  readonly requests: readonly string[];
  /** What was sent to it, as it came. */
  readonly bodies: readonly string[];
  /** What each request said in the headers that keys stand in. */
  readonly keys: readonly string[];
  readonly close: () => void;
}

/** Answers to what is no question to a model. */
export type Others = (request: IncomingMessage, body: string) => object | undefined;

/** A model on loopback that speaks the protocols of the agents and asks their shell for one command, or does as the script says. */
export async function startModel(task: string | Script, secure?: ServerOptions, others?: Others): Promise<Model> {
  const script = typeof task === 'string' ? callShell(task) : task;
  const [requests, bodies, keys]: [string[], string[], string[]] = [[], [], []];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    const { authorization = '', 'x-api-key': ofAnthropic = '', 'x-goog-api-key': ofGoogle = '' } = request.headers;
    keys.push([authorization, ofAnthropic, ofGoogle].join(' ').trim());
    void reply(request, response, script, { requests, bodies, others });
  };
  const server = secure === undefined ? createServer(listener) : createSecureServer(secure, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, bodies, keys, close };
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  {
    requests,
    bodies,
    others,
  }: { readonly requests: string[]; readonly bodies: string[]; readonly others?: Others | undefined },
): Promise<void> {
  const body = await text(request);
  bodies.push(body);
  const other = others?.(request, body);
  if (other !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(other));
    return;
  }
  const protocol = PROTOCOLS.find(({ path }) => path.test(request.url ?? ''));
  if (protocol === undefined || request.method !== 'POST') {
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"error":{"message":"no such thing here","type":"not_found_error"}}');
    return;
  }
  const asked = JSON.parse(body) as { readonly model?: string };
  const read = protocol.read(asked as never);
  const answer = script(read);
  requests.push(
    `  tools ${read.tools.map(({ name }) => name).join(',')}; result ${read.hasResult}; → ${'call' in answer ? answer.call.tool : 'text'}`,
  );
  const isOneDown = /\/v1internal:/.test(request.url ?? '');
  const events = protocol
    .write(answer, asked.model ?? 'model')
    .map(({ data, ...rest }) => ({ ...rest, data: isOneDown ? { response: data as object } : data }));
  if (/:generateContent/.test(request.url ?? ''))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(events[0]?.data));
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.map(frame).join(''));
}

function frame({ event, data }: Event): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
