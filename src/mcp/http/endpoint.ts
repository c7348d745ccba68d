import {
  type AuthInfo,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServer,
} from '@modelcontextprotocol/server';
import { createServer } from '../server.ts';
import type { CallObserver } from '../serving.ts';
import type { HeldSession, SessionPool } from './pool.ts';
import { problem, type SessionAnswer, SessionsById } from './sessions-by-id.ts';

export interface EndpointOptions {
  readonly pool: SessionPool;
  readonly version: string;
  readonly observer: CallObserver;
  readonly ended: AbortSignal;
  readonly draining: () => boolean;
}

/** Where MCP is spoken: with sessions to older clients, request by request to newer ones. Both get the same tools. */
export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #byId: SessionsById;
  readonly #stateless: McpHttpHandler;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#byId = new SessionsById(options.pool, (held) => this.#serverFor(held));
    this.#stateless = createMcpHandler(({ authInfo }) => this.#serverOf(visitOf(authInfo)), { legacy: 'reject' });
  }

  /** The body is JSON text, or absent for a request that has none. */
  async answer(user: string, request: Request, text: string | undefined): Promise<SessionAnswer> {
    if (request.method !== 'POST') return this.#byId.answer(user, request, undefined);
    if (!isJsonContentType(request.headers.get('content-type')))
      return { response: problem(415, 'the content type must be application/json') };
    const body = parsed(text ?? '');
    if (body === undefined) return { response: problem(400, 'the body is not JSON') };
    if (await isLegacyRequest(request, body)) return this.#byId.answer(user, request, body);
    return this.#withoutSession(user, request, body);
  }

  /** A session is opened only for a request that has passed the library's own checks. */
  async #withoutSession(user: string, request: Request, body: unknown): Promise<SessionAnswer> {
    const visit: Visit = { user };
    const response = await this.#stateless.fetch(request, { parsedBody: body, authInfo: authInfoOf(visit) });
    if (visit.failure !== undefined) throw visit.failure.cause;
    return { response, ...(visit.leave === undefined ? {} : { leave: visit.leave }) };
  }

  async #serverOf(visit: Visit): Promise<McpServer> {
    try {
      const held = await this.#options.pool.shared(visit.user);
      visit.leave = held.use();
      return this.#serverFor(held);
    } catch (cause) {
      visit.failure = { cause };
      throw cause;
    }
  }

  close(): Promise<void> {
    return this.#stateless.close();
  }

  #serverFor({ session, gate }: HeldSession): McpServer {
    const { version, observer, ended, draining } = this.#options;
    return createServer({ session, gate, version, observer, ended, draining });
  }
}

/** One request of a client that knows no sessions. */
interface Visit {
  readonly user: string;
  leave?: () => void;
  failure?: { readonly cause: unknown };
}

/** The library hands this on unread; the token itself is no business of the tools. */
function authInfoOf(visit: Visit): AuthInfo {
  return { token: '', clientId: visit.user, scopes: [], extra: { visit } };
}

function visitOf(info: AuthInfo | undefined): Visit {
  return info?.extra?.visit as Visit;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
