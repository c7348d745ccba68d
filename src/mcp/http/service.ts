import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { CordonError } from '../../host/errors.ts';
import type { Log, Session } from '../../sessions/types.ts';
import { failureText } from '../failure.ts';
import { Endpoint } from './endpoint.ts';
import { readBody, refuse, sendResponse, sendText, webRequest } from './exchange.ts';
import { FORWARDED, forward } from './forward.ts';
import { Metrics } from './metrics.ts';
import { SessionPool, TooManySessions, type UserLimits } from './pool.ts';
import { type Shards, shardOf } from './shards.ts';
import type { TokenStore } from './tokens.ts';

export interface ServiceOptions {
  readonly host: string;
  readonly port: number;
  readonly admitted: AdmittedNames;
  readonly tokens: TokenStore;
  readonly open: (user: string) => Promise<Session>;
  readonly limits: UserLimits;
  readonly idleMs: number;
  readonly drainMs: number;
  readonly maxRequestBytes: number;
  readonly version: string;
  readonly shards?: Shards | undefined;
  readonly log: Log;
}

const LAST_WORDS_MS = 3000;
const LAST_REQUESTS_MS = 500;

/** MCP over HTTP for many users: who is asking is settled before anything else is looked at. */
export class HttpService {
  readonly #options: ServiceOptions;
  readonly #server: Server;
  readonly #pool: SessionPool;
  readonly #metrics: Metrics;
  readonly #endpoint: Endpoint;
  readonly #inFlight = new InFlight();
  readonly #ended = new AbortController();
  #draining = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#pool = new SessionPool({ ...options, opened: () => this.#metrics.sessionOpened() });
    this.#metrics = new Metrics(() => this.#pool.load);
    this.#endpoint = new Endpoint({
      pool: this.#pool,
      version: options.version,
      observer: this.#metrics,
      ended: this.#ended.signal,
      draining: () => this.#draining,
    });
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Gives back the address it listens on. */
  async start(): Promise<string> {
    const { host, port, idleMs } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
      this.#server.listen(port, host, resolve);
    });
    this.#sweep = setInterval(() => void this.#pool.closeIdle(), Math.min(60_000, Math.max(100, idleMs / 4)));
    const { address, family, port: bound } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  }

  /** Lets what runs come to its end, then ends the rest. */
  async stop(): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweep);
    // It listens on meanwhile: who comes now is told so. A connection that is refused, or breaks, tells nothing.
    await this.#inFlight.settled(this.#options.drainMs);
    this.#ended.abort();
    // Whoever still waits is told that the call was ended.
    await this.#inFlight.settled(LAST_WORDS_MS);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await this.#pool.closeAll();
    await this.#endpoint.close();
    this.#server.closeIdleConnections();
    // Whose request is on its way gets an answer too.
    await Promise.race([closed, pause(LAST_REQUESTS_MS, undefined, { ref: false })]);
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once('close', () => this.#metrics.responded(response.statusCode));
    try {
      await this.#route(request, response);
    } catch (error) {
      this.#fail(error, response);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!admits(request, this.#options.admitted)) return refuse(response, 403, 'this Host or Origin is not allowed');
    const path = (request.url ?? '').split('?', 1)[0];
    if (path === '/healthz' && request.method === 'GET') return this.#health(response);
    if (path === '/metrics' && request.method === 'GET')
      return sendText(response, 200, 'text/plain; version=0.0.4; charset=utf-8', this.#metrics.text());
    if (path !== '/mcp') return refuse(response, 404, 'there is nothing here; MCP is spoken at /mcp');
    const user = this.#userOf(request);
    if (user === undefined) return this.#unknown(response);
    return this.#speak(user, request, response);
  }

  #health(response: ServerResponse): void {
    const status = this.#draining ? 'draining' : 'ok';
    sendText(response, this.#draining ? 503 : 200, 'application/json', `${JSON.stringify({ status })}\n`);
  }

  #userOf(request: IncomingMessage): string | undefined {
    const token = bearerToken(request);
    return token === undefined
      ? undefined
      : this.#options.tokens.userOf(token, (problem) => this.#options.log('info', problem));
  }

  #unknown(response: ServerResponse): void {
    this.#metrics.tokenRefused();
    refuse(response, 401, 'a valid bearer token is needed', { 'www-authenticate': 'Bearer', connection: 'close' });
  }

  async #speak(user: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#draining) return refuse(response, 503, 'the server is shutting down', { connection: 'close' });
    const wait = this.#pool.throttle(user);
    if (wait > 0) {
      this.#metrics.limitHit('requests');
      return refuse(response, 429, 'too many requests; wait a little', { 'retry-after': String(wait) });
    }
    const ended = request.method === 'POST' ? this.#inFlight.begin() : () => undefined;
    try {
      await this.#exchange(user, request, response);
    } finally {
      ended();
    }
  }

  async #exchange(user: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { maxRequestBytes } = this.#options;
    const asked = webRequest(request, response);
    const body = request.method === 'POST' ? await readBody(request, maxRequestBytes) : '';
    if (body === undefined)
      return refuse(response, 413, `a request may have ${maxRequestBytes} bytes`, { connection: 'close' });
    const elsewhere = this.#elsewhere(user);
    if (elsewhere !== undefined) return this.#pass(elsewhere, request, response, body);
    const { response: answer, leave } = await this.#endpoint.answer(user, asked, body);
    try {
      await sendResponse(answer, response);
    } finally {
      leave?.();
    }
  }

  /** The number of the server that has this user's sessions, unless it is this one. */
  #elsewhere(user: string): number | undefined {
    const { shards } = this.#options;
    if (shards === undefined) return undefined;
    const number = shardOf(user, shards.count);
    return number === shards.own ? undefined : number;
  }

  /** Handed on once: servers that do not agree on their number would hand it round for ever. */
  async #pass(number: number, request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { peers, count } = this.#options.shards as Shards;
    const to = peers?.[number];
    if (to === undefined || request.headers[FORWARDED] !== undefined) {
      this.#metrics.forwarded('refused');
      return refuse(response, 421, `the sessions of this user are at server ${number} of ${count}: nothing was run`);
    }
    if (!['POST', 'GET', 'DELETE'].includes(request.method ?? ''))
      return refuse(response, 405, 'POST, GET and DELETE are known here', { allow: 'POST, GET, DELETE' });
    this.#metrics.forwarded(await forward({ to, request, response, body, ended: this.#ended.signal }));
  }

  /** What went wrong is for the log; a client learns no path and no name of this machine, only a security refusal in full. */
  #fail(error: unknown, response: ServerResponse): void {
    if (response.destroyed) return;
    if (response.headersSent) response.destroy();
    else if (error instanceof TooManySessions) this.#tooMany(response);
    else refuse(response, 500, this.#explained(error));
  }

  #tooMany(response: ServerResponse): void {
    const { sessions } = this.#options.limits;
    this.#metrics.limitHit('sessions');
    refuse(response, 429, `too many sessions at once: the limit is ${sessions}`, { 'retry-after': '60' });
  }

  #explained(error: unknown): string {
    const text = failureText(error);
    this.#options.log('info', `a request failed: ${text.replaceAll('\n', '; ')}`);
    const isRefusal = error instanceof CordonError && error.kind === 'security';
    return isRefusal ? text : 'the request failed; the log of the server says why';
  }
}

function cannotListen({ code }: NodeJS.ErrnoException, host: string, port: number): CordonError {
  const taken = code === 'EADDRINUSE';
  return new CordonError('listen', `cannot listen on ${host}:${port} (${code})`, {
    hint: taken ? 'something listens there already; choose another with --listen ADDRESS:PORT' : 'see --listen',
  });
}

interface AdmittedNames {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A page of another site that made its name point here sends that name as Host, and its own address as Origin. */
function admits(request: IncomingMessage, { hosts, origins }: AdmittedNames): boolean {
  const { host, origin } = request.headers;
  if (host === undefined || !isAllowedHost(host, hosts)) return false;
  return origin === undefined || origins.includes(origin.toLowerCase());
}

/** With or without a port; what was allowed with a port means that port. */
function isAllowedHost(host: string, hosts: readonly string[]): boolean {
  const given = host.toLowerCase();
  const name = given.replace(/:\d{1,5}$/, '');
  return [...LOOPBACK, ...hosts].some((allowed) => allowed === given || allowed === name);
}

function bearerToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1];
}

/** Counts what has begun and not ended, and can wait for the end of all. */
class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): () => void {
    this.#count++;
    let ended = false;
    return () => {
      if (!ended) this.#count--;
      ended = true;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Settles when nothing is left, or when the time is up. */
  settled(withinMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
