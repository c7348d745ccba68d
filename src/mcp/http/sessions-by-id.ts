import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport as Transport,
} from '@modelcontextprotocol/server';
import { withOlderCodes } from '../older-codes.ts';
import { KeptEvents } from './kept-events.ts';
import type { HeldSession, SessionPool } from './pool.ts';

/** How long a client waits before it asks again for an answer that a broken connection took along. */
const RETRY_MS = 1000;

interface Connection {
  readonly held: HeldSession;
  readonly transport: Transport;
}

export interface SessionAnswer {
  readonly response: Response;
  /** To be called when the response is sent: until then its session is in use. */
  readonly leave?: () => void;
}

/** For clients that open a session and name it in each request: the revisions of the protocol before 2026. */
export class SessionsById {
  readonly #connections = new Map<string, Connection>();
  readonly #pool: SessionPool;
  readonly #serverFor: (held: HeldSession) => McpServer;

  constructor(pool: SessionPool, serverFor: (held: HeldSession) => McpServer) {
    this.#pool = pool;
    this.#serverFor = serverFor;
  }

  async answer(user: string, request: Request, body: unknown): Promise<SessionAnswer> {
    const id = request.headers.get('mcp-session-id');
    if (id === null && isInitializeRequest(body)) return this.#initialize(user, request, body);
    if (id === null) return { response: problem(400, 'the Mcp-Session-Id header is missing') };
    const connection = this.#connections.get(id);
    // One answer for both, so that nobody learns which sessions others have.
    if (connection === undefined || connection.held.user !== user)
      return { response: problem(404, 'Session not found') };
    return whileUsing(connection.held, () => pass(connection.transport, request, body));
  }

  async #initialize(user: string, request: Request, body: unknown): Promise<SessionAnswer> {
    const id = randomUUID();
    const held = await this.#pool.open(user, () => this.#forget(id));
    const transport = new Transport({
      sessionIdGenerator: () => id,
      // Told here as well as by our own expiry.
      onsessionclosed: () => void held.close(),
      eventStore: new KeptEvents(),
      retryInterval: RETRY_MS,
    });
    withOlderCodes(transport, () => true);
    await this.#serverFor(held).connect(transport);
    this.#connections.set(id, { held, transport });
    const answer = await whileUsing(held, () => pass(transport, request, body));
    if (!answer.response.ok) await held.close();
    return answer;
  }

  async #forget(id: string): Promise<void> {
    const connection = this.#connections.get(id);
    this.#connections.delete(id);
    await connection?.transport.close();
  }
}

function pass(transport: Transport, request: Request, body: unknown): Promise<Response> {
  return transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
}

async function whileUsing(held: HeldSession, answer: () => Promise<Response>): Promise<SessionAnswer> {
  const leave = held.use();
  try {
    return { response: await answer(), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

export function problem(status: number, message: string): Response {
  const code = status === 404 ? -32001 : -32000;
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
