import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CordonError } from '../host/errors.ts';
import { Access, strangerIn } from './access.ts';
import type { PageDecision, PolicyKind, PolicyName, Welcome, WhatIf } from './api.ts';
import type { PageFile } from './page-file.ts';
import { listPolicies, type PolicySurroundings, resolvePolicy } from './policies.ts';
import type { PageRecords } from './records/index.ts';
import { fieldsOf, parseFields, type RecordFields } from './records/shape.ts';

export interface UiOptions extends PolicySurroundings {
  readonly page: PageFile;
  readonly records: PageRecords;
  readonly port: number;
  readonly decide: boolean;
  readonly version: string;
  readonly idleMs: number;
  /** A link was used, so that it can be forgotten. */
  readonly onEntered: () => void;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Says what is wrong with a request, and with which status. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const HOST = '127.0.0.1';
const LARGEST_REQUEST = 64 << 10;

/** Nothing of it is kept anywhere, shown in a frame, or given to another origin. */
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The page and what it shows, for one user of this machine, until it is stopped or nobody has looked at it for long. */
export class UiServer {
  readonly #options: UiOptions;
  readonly #access = new Access();
  readonly #server: Server;
  readonly #idle: Promise<void>;
  #becomeIdle: () => void = () => undefined;
  #lastUse = Date.now();
  #watch: NodeJS.Timeout | undefined;
  #port = 0;

  constructor(options: UiOptions) {
    this.#options = options;
    this.#server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, (request, response) =>
      this.#answer(request, response).catch(() => response.destroy()),
    );
    this.#server.maxConnections = 64;
    this.#idle = new Promise((resolve) => {
      this.#becomeIdle = resolve;
    });
  }

  async start(): Promise<void> {
    const { port, idleMs } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, port)));
      this.#server.listen(port, HOST, resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#watch = setInterval(() => this.#endWhenIdle(), Math.min(10_000, idleMs / 4)).unref();
  }

  /** Resolved when nobody has used it for the time that was agreed. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  link(): string {
    return `http://${HOST}:${this.#port}/#${this.#access.newLink()}`;
  }

  async stop(): Promise<void> {
    clearInterval(this.#watch);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #endWhenIdle(): void {
    if (Date.now() - this.#lastUse >= this.#options.idleMs) this.#becomeIdle();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = strangerIn(request, this.#port);
    if (stranger !== undefined) return sendJson(response, stranger.status, { error: stranger.message });
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (path === '/' && request.method === 'GET') return this.#sendPage(response);
    try {
      const { status, body } = await this.#route(request, path, new URLSearchParams(query));
      sendJson(response, status, body);
    } catch (error) {
      sendJson(response, ...failure(error));
    }
  }

  #sendPage(response: ServerResponse): void {
    const { html, contentPolicy } = this.#options.page;
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': contentPolicy };
    send(response, 200, html, headers);
  }

  async #route(request: IncomingMessage, path: string, query: URLSearchParams): Promise<Reply> {
    if (path === '/api/enter' && request.method === 'POST') return this.#enter(request);
    if (!this.#access.knows(request)) throw new Refused(401, 'this page has no valid token: use a new link');
    this.#noteUse(request);
    const method = request.method === 'GET' || request.method === 'POST' ? request.method : undefined;
    switch (`${method} ${path}`) {
      case 'GET /api/launches':
        return ok(
          this.#options.records.launches(wholeNumber(query.get('from')), wholeNumber(query.get('most')) || undefined),
        );
      case 'GET /api/launch':
        return found(this.#options.records.launch(query.get('id') ?? ''), 'the record has no such launch');
      case 'GET /api/policies':
        return ok(await listPolicies(this.#options));
      case 'POST /api/policy':
        return ok(await this.#policy(await bodyOf(request)));
      case 'GET /api/proofs':
        return ok(this.#options.records.proofs(query.get('run') ?? undefined));
      case 'GET /api/sessions':
        return ok(await this.#options.records.sessions());
      case 'GET /api/pending':
        return ok(this.#options.records.pending());
      case 'POST /api/decide':
        return found(this.#decide(await bodyOf(request)), 'nothing of that launch waits');
      default:
        throw new Refused(404, 'there is nothing here');
    }
  }

  #enter(request: IncomingMessage): Reply {
    const token = this.#access.enter(request);
    if (token === undefined) throw new Refused(401, 'this link was used already or is not valid: use a new one');
    this.#lastUse = Date.now();
    this.#options.onEntered();
    const { version, decide } = this.#options;
    return ok({ token, version, decide } satisfies Welcome);
  }

  /** A page that lies open and asks again and again is not being used: it says itself how long nobody touched it. */
  #noteUse({ headers }: IncomingMessage): void {
    const seconds = /^\d{1,7}$/.test(String(headers['cordon-untouched'])) ? Number(headers['cordon-untouched']) : 0;
    this.#lastUse = Math.max(this.#lastUse, Date.now() - seconds * 1000);
  }

  #decide(body: RecordFields): object | undefined {
    if (!this.#options.decide) throw new Refused(403, 'this page only shows: start cordon ui --decide to decide here');
    return this.#options.records.decide(decisionOf(body));
  }

  #policy(body: RecordFields): Promise<object> {
    return resolvePolicy(
      policyName(body),
      this.#options,
      body.change === undefined ? undefined : changeOf(body.change),
    );
  }
}

const ok = (body: unknown): Reply => ({ status: 200, body });

function found(body: unknown, otherwise: string): Reply {
  if (body === undefined) throw new Refused(404, otherwise);
  return ok(body);
}

function wholeNumber(text: string | null): number {
  if (text === null) return 0;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refused(400, 'a whole number is needed');
  return Number(text);
}

const KINDS: readonly string[] = ['defaults', 'profile', 'agent', 'tool'] satisfies PolicyKind[];

function policyName({ kind, name }: RecordFields): PolicyName {
  if (typeof kind !== 'string' || typeof name !== 'string' || !KINDS.includes(kind))
    throw new Refused(400, 'a kind and a name of a policy are needed');
  return { kind: kind as PolicyKind, name };
}

function decisionOf({ launch, question, answer, profile }: RecordFields): PageDecision {
  if (typeof launch === 'string' && (answer === 'apply' || answer === 'drop')) return { launch, answer };
  const isAnswer = answer === 'once' || answer === 'launch' || answer === 'no';
  if (typeof question !== 'string' || !isAnswer || (profile !== undefined && typeof profile !== 'string'))
    throw new Refused(400, 'a launch or a question, and an answer to it are needed');
  return profile === undefined ? { question, answer } : { question, answer, profile };
}

const MOST_RULES = 100;
const GUARDS: readonly unknown[] = ['', 'off', 'strip', 'forbid'];

function changeOf(value: unknown): WhatIf {
  const { allow = [], deny = [], guard = '' } = fieldsOf(value) ?? {};
  if (!isRules(allow) || !isRules(deny) || typeof guard !== 'string' || !GUARDS.includes(guard))
    throw new Refused(400, 'a change is lists of patterns to allow and to deny, and a guard');
  return { allow, deny, guard };
}

const isRules = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MOST_RULES && value.every((one) => typeof one === 'string' && one !== '');

/** Only as JSON: a form of another page can't send that without asking first. */
async function bodyOf(request: IncomingMessage): Promise<RecordFields> {
  if (request.headers['content-type'] !== 'application/json') throw new Refused(415, 'the body must be JSON');
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > LARGEST_REQUEST) throw new Refused(413, 'the request is too large');
    pieces.push(piece as Buffer);
  }
  const fields = parseFields(Buffer.concat(pieces).toString('utf8'));
  if (fields === undefined) throw new Refused(400, 'the body is not a JSON object');
  return fields;
}

/** Of an error of ours what a terminal would show; of any other nothing, since its text may hold what was worked on. */
function failure(error: unknown): [status: number, body: object] {
  if (error instanceof Refused) return [error.status, { error: error.message }];
  if (error instanceof CordonError)
    return [422, { error: error.message, where: error.where ?? null, hint: error.hint ?? null }];
  return [500, { error: 'something went wrong inside cordon ui' }];
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-security-policy': "default-src 'none'",
  };
  send(response, status, Buffer.from(JSON.stringify(body)), headers);
}

/** Not packed: on the way from a machine to itself that only takes time. */
function send(response: ServerResponse, status: number, body: Buffer, headers: Readonly<Record<string, string>>): void {
  response.writeHead(status, { ...HEADERS, ...headers, 'content-length': body.length }).end(body);
}

function cannotListen({ code }: NodeJS.ErrnoException, port: number): CordonError {
  return new CordonError('listen', `cannot listen on ${HOST}:${port} (${code})`, {
    hint: code === 'EADDRINUSE' ? 'something listens there already; leave --port out, or choose another' : 'see --port',
  });
}
