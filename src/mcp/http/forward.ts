import {
  request as ask,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type Break, EventRelay } from './event-relay.ts';
import { drained, refuse } from './exchange.ts';

/** What is not on these lists is not handed on: how a message is framed, and who is connected to whom, is said anew on each way. */
const ASKED = /^(?:accept|authorization|content-type|last-event-id|mcp-[a-z0-9-]+)$/;
const ANSWERED =
  /^(?:allow|cache-control|content-type|retry-after|www-authenticate|x-content-type-options|mcp-[a-z0-9-]+)$/;
export const FORWARDED = 'cordon-forwarded';

const CONNECT_MS = 5000;
const SILENT_MS = 10_000;
const MOST_ANSWER_BYTES = 16 << 20;

const AWAY = 'the server that has the sessions of this user cannot be reached: nothing was run; try again';
const LOST = 'the server that has the sessions of this user went away: it is unknown whether the call ran';
const ENDING = 'the server is shutting down: it is unknown whether the call ran to its end';

export type Passed = 'answered' | 'unreachable' | 'lost' | 'left';

export interface Passing {
  readonly to: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whole, so that where it ends is not for the client to say. */
  readonly body: string;
  /** Aborted when this server ends. */
  readonly ended: AbortSignal;
}

/** Hands one request to the server that has its user, over a connection of its own, and what comes back to the client. */
export async function forward(passing: Passing): Promise<Passed> {
  const { response, ended } = passing;
  const sent = send(passing);
  const stop = () => sent.asked.destroy();
  response.once('close', stop);
  ended.addEventListener('abort', stop);
  try {
    return await relay(passing, sent);
  } finally {
    ended.removeEventListener('abort', stop);
    stop();
  }
}

interface Sent {
  readonly asked: ClientRequest;
  readonly isConnected: () => boolean;
}

function send({ to, request, body }: Passing): Sent {
  const hasBody = request.method === 'POST';
  const asked = ask({
    host: to.hostname.replace(/^\[|\]$/g, ''),
    port: to.port === '' ? 80 : to.port,
    method: request.method,
    path: '/mcp',
    headers: {
      ...chosen(request.headers, ASKED),
      host: to.host,
      [FORWARDED]: '1',
      ...(hasBody ? { 'content-length': Buffer.byteLength(body) } : {}),
    },
    // A connection for this request alone: nothing of one can be taken for the beginning of another.
    agent: false,
  });
  let connected = false;
  asked.once('socket', (socket) => {
    socket.once('connect', () => {
      connected = true;
    });
    socket.setTimeout(CONNECT_MS, () => socket.connecting && asked.destroy());
    // A machine that is gone says nothing; a call may be silent for long.
    socket.setKeepAlive(true, SILENT_MS);
  });
  asked.end(hasBody ? body : undefined);
  return { asked, isConnected: () => connected };
}

/** Without what Connection names: that was meant for this connection only. */
function chosen(headers: IncomingHttpHeaders, wanted: RegExp): Record<string, string> {
  const own = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && wanted.test(name) && !own.includes(name) ? [[name, value]] : [],
    ),
  );
}

async function relay(passing: Passing, { asked, isConnected }: Sent): Promise<Passed> {
  const { response, body, ended } = passing;
  const lost = () => (ended.aborted ? ENDING : LOST);
  const answer = await answerTo(asked).catch(() => undefined);
  if (answer === undefined) return response.destroyed ? 'left' : unanswered(passing, isConnected());
  const isStream = /^text\/event-stream\b/i.test(answer.headers['content-type'] ?? '');
  return isStream ? relayEvents(answer, response, new EventRelay(body, lost)) : relayWhole(answer, response, lost);
}

/** Only where no connection came about is it sure that nothing arrived. */
function unanswered({ response, ended }: Passing, mayHaveArrived: boolean): Passed {
  if (ended.aborted) refuse(response, 503, ENDING, { connection: 'close' });
  else if (mayHaveArrived) refuse(response, 502, LOST);
  else refuse(response, 503, AWAY, { 'retry-after': '1' });
  return mayHaveArrived ? 'lost' : 'unreachable';
}

function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once('response', resolve);
    asked.on('error', reject);
    asked.once('close', () => reject(new Error('closed')));
  });
}

async function relayWhole(answer: IncomingMessage, response: ServerResponse, lost: () => string): Promise<Passed> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MOST_ANSWER_BYTES) throw new Error('too large');
      chunks.push(chunk);
    }
  } catch {
    if (response.destroyed) return 'left';
    refuse(response, 502, lost());
    return 'lost';
  }
  response.writeHead(answer.statusCode ?? 502, { ...chosen(answer.headers, ANSWERED), 'content-length': size });
  response.end(Buffer.concat(chunks));
  return 'answered';
}

/** Event by event, so that one that was cut off is never half sent, and whoever still waits for an answer gets one in words. */
async function relayEvents(answer: IncomingMessage, response: ServerResponse, events: EventRelay): Promise<Passed> {
  response.writeHead(answer.statusCode ?? 502, chosen(answer.headers, ANSWERED));
  response.flushHeaders();
  let broken: Break | undefined;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (response.destroyed) break;
      if (!response.write(events.whole(chunk))) await drained(response);
    }
  } catch {
    broken = events.break();
  }
  if (response.destroyed) return 'left';
  response.end(broken?.text ?? events.rest());
  return broken === undefined ? 'answered' : 'lost';
}
