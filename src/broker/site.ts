import http from 'node:http';
import http2 from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex, Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { cutOffSlowHeads } from '../host/patience.ts';
import { coversHost, type MintRule } from '../policy/broker.ts';
import { type LogInName, logInOf } from '../policy/log-ins.ts';
import type { Authority } from './authority.ts';
import { awsKeysAmong, isSignedForAws, type Resigned, resigned } from './aws.ts';
import { carry } from './flow.ts';
import { answerTo, type Head, type Header, type RequestRefusal, useRefusal, valuesOf } from './head.ts';
import type { BrokerRecord, Dialled, Held } from './held.ts';
import type { Holdings, Remember } from './holdings.ts';
import { isFields, type LogInFields } from './log-in-file.ts';
import type { Asked, KeptLogIn, LogIns } from './log-ins.ts';
import { captured, mintFor } from './mint.ts';
import {
  bodyRefusal,
  fail,
  failureText,
  logInRefusal,
  mintRefusal,
  Refused,
  RequestLog,
  refusalText,
  refuse,
  refuseRaw,
  ruleOf,
} from './say.ts';
import { mask, masked, type Needles, stoppingStream } from './scan.ts';
import {
  type BodyLength,
  type ClientSide,
  clientOfHttp1,
  clientOfHttp2,
  endToEnd,
  pairsOf,
  sendByHttp1,
  sendByHttp2,
  type UpstreamSide,
} from './sides.ts';
import { type TokenRequest, tokenRequest } from './token-request.ts';
import { frameStream } from './websocket.ts';

export type Connect = () => Promise<Socket>;

export interface BrokerOptions {
  readonly held: readonly Held[];
  readonly authority: Authority;
  /** What servers are verified with, as PEM. */
  readonly trust: readonly string[];
  readonly mints?: readonly MintRule[];
  readonly logIns?: readonly KeptLogIn[];
  /** Where launches wait for each other to renew a log-in. */
  readonly locks?: string | undefined;
  /** Asks a person whether the command may log in anew; nobody is there to be asked where it is left out. */
  readonly confirm?: Confirm;
  readonly remember?: Remember;
  /** Tells a person something. */
  readonly say?: (text: string) => void;
  readonly record: (entry: BrokerRecord) => void;
}

export type Confirm = (agent: LogInName, dialled: Dialled, isWaiting: () => boolean) => Promise<boolean>;

export const PLAIN_HTTP = 80;
/** A body up to here is read whole before any of the request is sent. */
const SMALL_BODY = 1 << 20;
const LONGEST_HEADERS = 1 << 17;
const CONNECT_MS = 30_000;
/** A server that hands out tokens answers at once. */
const TOKENS_MS = 30_000;
const IDLE_MS = 15 * 60_000;

export interface SiteOptions extends Omit<BrokerOptions, 'logIns'> {
  readonly holdings: Holdings;
  readonly logIns: LogIns;
  readonly leaf: () => { readonly cert: string; readonly key: string };
  readonly secureContext: tls.SecureContext;
}

/** One host and port: its servers towards the command, its connections towards the real one. */
export class Site {
  readonly #dialled: Dialled;
  readonly #options: SiteOptions;
  readonly #plain = new http.Server({ maxHeaderSize: LONGEST_HEADERS, requestTimeout: 0 });
  readonly #http2 = http2.createServer({ settings: { maxHeaderListSize: LONGEST_HEADERS } });
  readonly #secure: tls.Server | undefined;
  readonly #agent: http.Agent;
  readonly #open = new Set<Duplex>();
  #connect: Connect = () => Promise.reject(new Error('nothing was dialled yet'));
  #session: Promise<http2.ClientHttp2Session | undefined> | undefined;
  #tlsSession: Buffer | undefined;

  constructor(dialled: Dialled, options: SiteOptions) {
    this.#dialled = dialled;
    this.#options = options;
    this.#agent = new http.Agent({ keepAlive: true, maxFreeSockets: 64, timeout: IDLE_MS });
    const open = this.#agent as unknown as {
      createConnection: (options: object, done: (error: Error | null, socket?: Socket) => void) => void;
    };
    open.createConnection = (_options, done) => {
      this.#upstream(['http/1.1']).then((socket) => done(null, socket), done);
    };
    cutOffSlowHeads(this.#plain, CONNECT_MS);
    this.#plain.on('request', (req, res) => this.#serve(clientOfHttp1(req, res, false), 'http/1.1'));
    this.#plain.on('checkContinue', (req, res) => this.#serve(clientOfHttp1(req, res, true), 'http/1.1'));
    this.#plain.on('upgrade', (req, socket, first) => this.#upgrade(req, socket, first));
    this.#plain.on('connect', (_req, socket) => refuseRaw(socket, 'CONNECT has no meaning at a host itself'));
    this.#plain.on('clientError', (_error, socket) => socket.destroy());
    this.#http2.on('stream', (stream: http2.ServerHttp2Stream, _headers: unknown, flags: number, raw?: string[]) => {
      stream.on('error', () => undefined); // Whoever reads or writes it hears of it.
      this.#serve(clientOfHttp2(stream, raw ?? [], (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0), 'h2');
    });
    this.#http2.on('sessionError', () => undefined);
    this.#secure = dialled.port === PLAIN_HTTP ? undefined : this.#newSecureServer();
  }

  #newSecureServer(): tls.Server {
    const { name } = this.#dialled;
    const server = tls.createServer({
      ...this.#options.leaf(),
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: CONNECT_MS,
      SNICallback: (asked, done) => {
        if (asked.toLowerCase() === name) return done(null);
        this.#note({ rule: 'name', reason: `the TLS handshake names ${asked}, but ${name} was dialled` });
        return done(new Error('the name of the handshake is not the one that was dialled'));
      },
    });
    server.on('secureConnection', (socket: tls.TLSSocket & { servername?: string | false }) => {
      if (typeof socket.servername !== 'string') {
        this.#note({ rule: 'name', reason: `the TLS handshake names no host, but ${name} was dialled` });
        socket.destroy();
        return;
      }
      socket.on('error', () => socket.destroy());
      (socket.alpnProtocol === 'h2' ? this.#http2 : this.#plain).emit('connection', socket);
    });
    server.on('tlsClientError', () => undefined);
    return server;
  }

  take(client: Duplex, connect: Connect): void {
    this.#connect = connect;
    this.#open.add(client);
    client.once('close', () => this.#open.delete(client));
    client.on('error', () => client.destroy());
    (this.#secure ?? this.#plain).emit('connection', client);
  }

  end(): void {
    for (const client of this.#open) client.destroy();
    this.#agent.destroy();
    this.#session?.then((session) => session?.destroy()).catch(() => undefined);
  }

  #note(entry: Pick<BrokerRecord, 'rule' | 'reason'>): void {
    this.#options.record({
      host: this.#dialled.name,
      port: this.#dialled.port,
      credentials: [],
      verdict: 'refused',
      ...entry,
    });
  }

  /** Over TLS always verified, unless the site is one of plain HTTP, where no value is ever sent. */
  async #upstream(protocols: readonly string[]): Promise<Socket> {
    const socket = await this.#connect();
    socket.setNoDelay(true);
    if (this.#secure === undefined) {
      // Half open, a connection that the server ended would be kept, and the next request on it never answered.
      socket.allowHalfOpen = false;
      return socket;
    }
    const { name } = this.#dialled;
    return new Promise((resolve, reject) => {
      const secure = tls.connect({
        socket,
        servername: name,
        ALPNProtocols: [...protocols],
        secureContext: this.#options.secureContext,
        rejectUnauthorized: true,
        ...(this.#tlsSession === undefined ? {} : { session: this.#tlsSession }),
      });
      const late = setTimeout(
        () => secure.destroy(Object.assign(new Error('the handshake took too long'), { code: 'ETIMEDOUT' })),
        CONNECT_MS,
      );
      secure.on('session', (session) => {
        this.#tlsSession = session;
      });
      secure.once('error', (error) => {
        clearTimeout(late);
        reject(error);
      });
      secure.once('close', () =>
        reject(Object.assign(new Error('the server closed the connection in the handshake'), { code: 'ECONNRESET' })),
      );
      secure.once('secureConnect', () => {
        clearTimeout(late);
        resolve(secure);
      });
    });
  }

  /** One connection of HTTP/2 for all that ask by it; undefined where the server speaks only HTTP/1.1. */
  #http2Session(): Promise<http2.ClientHttp2Session | undefined> {
    this.#session ??= this.#newSession();
    this.#session.catch(() => {
      this.#session = undefined;
    });
    return this.#session;
  }

  async #newSession(): Promise<http2.ClientHttp2Session | undefined> {
    const socket = (await this.#upstream(['h2', 'http/1.1'])) as tls.TLSSocket;
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return undefined;
    }
    const session = http2.connect(`https://${this.#authority()}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    const forget = () => {
      this.#session = undefined;
    };
    session.on('error', forget);
    session.on('close', forget);
    session.on('goaway', forget);
    session.setTimeout(IDLE_MS, () => session.close());
    return session;
  }

  #authority(): string {
    const { name, port } = this.#dialled;
    return port === 443 ? name : `${name}:${port}`;
  }

  async #send(head: Head, length: BodyLength, expect: boolean, version: Version): Promise<UpstreamSide> {
    const session = version === 'h2' ? await this.#http2Session() : undefined;
    if (session !== undefined) return sendByHttp2(head, length, expect, session, this.#authority());
    return sendByHttp1(head, length, expect, { ...this.#dialled, agent: this.#agent });
  }

  #serve(client: ClientSide, version: Version): void {
    const log = new RequestLog(this.#dialled, client.head.method, this.#options.record);
    client.body.on('error', () => undefined);
    this.#exchange(client, version, log)
      .catch((error: unknown) => {
        if (error instanceof Refused) refuse(client, error.refusal, this.#dialled, log);
        else fail(client, error as NodeJS.ErrnoException, this.#dialled, log);
      })
      .catch(() => client.abort()); // The client went away before it could be told.
  }

  async #exchange(client: ClientSide, version: Version, log: RequestLog): Promise<void> {
    requireSameName(client, this.#dialled);
    const mint = mintFor(this.#options.mints ?? [], this.#dialled, client.head);
    const asked = await this.#readWhole(client, mint);
    const { holdings } = this.#options;
    const signed = this.#signed(client, asked.whole);
    const body =
      asked.whole === undefined
        ? undefined
        : { data: asked.whole, type: valuesOf(client.head.headers, 'content-type')[0] ?? '' };
    const answer = answerTo(signed.head, {
      dialled: this.#dialled,
      held: holdings.held,
      needles: holdings.placeholders,
      body,
    });
    if ('refused' in answer) throw new Refused(answer);
    log.credentials = [...signed.credentials, ...answer.credentials].map(({ name }) => name);
    if (mint?.logIn !== undefined) {
      const request = tokenRequest(mint.logIn, client.head, body, answer.credentials);
      if ('refused' in request) throw new Refused(request);
      return this.#logIn(client, mint.logIn, request, version, log);
    }
    if (mint !== undefined && mint.fields.length === 0) throw new Refused(mintRefusal(log, mint));
    const head = { ...answer.head, headers: asSent(answer.head.headers, log.credentials.length > 0) };
    const length = lengthOf(client, answer.body);
    const upstream = await this.#sendBody(client, { head, length, body: answer.body, version }, log);
    const response = await upstream.response;
    if (mint !== undefined && response.status < 300)
      return this.#capture(client, response, answer.credentials, mint, log);
    await this.#relay(client, response, log);
  }

  /** Requests to AWS carry no key but a signature made with it: they are signed anew. */
  #signed(client: ClientSide, body: Buffer | undefined): Resigned {
    const { held } = this.#options.holdings;
    const head = withHost(client.head, client.authorities[0] ?? '');
    const keys = isSignedForAws(head) ? awsKeysAmong(held) : undefined;
    if (keys === undefined) return { head: client.head, credentials: [] };
    const outgoing = ({ headers, ...rest }: Head) =>
      withHost({ ...rest, headers: asSent(headers, true) }, this.#authority());
    const answer =
      useRefusal(head, keys.id, this.#dialled) ??
      useRefusal(head, keys.secret, this.#dialled) ??
      resigned(head, outgoing, body ?? (client.hasBody ? 'unread' : undefined), keys);
    if ('refused' in answer) throw new Refused(answer);
    return answer;
  }

  /** A short body is looked at before anything is sent; of a long one the part that is through has been looked at. */
  async #readWhole(client: ClientSide, mint?: MintRule): Promise<{ readonly whole: Buffer | undefined }> {
    if (!client.hasBody) return { whole: undefined };
    const [declared] = valuesOf(client.head.headers, 'content-length');
    const wantsField =
      mint?.logIn !== undefined ||
      this.#options.holdings.held.some(
        ({ rule }) =>
          rule.places.some(({ kind }) => kind === 'body') &&
          rule.hosts.some((host) => coversHost(host, this.#dialled.name, this.#dialled.port)),
      );
    const isShort = declared !== undefined && Number(declared) <= SMALL_BODY;
    if (!isShort && !wantsField) return { whole: undefined };
    if (client.wantsContinue) client.sendContinue();
    return { whole: await readAll(client.body, SMALL_BODY) };
  }

  async #sendBody(
    client: ClientSide,
    {
      head,
      length,
      body,
      version,
    }: {
      readonly head: Head;
      readonly length: BodyLength;
      readonly body: Buffer | undefined;
      readonly version: Version;
    },
    log: RequestLog,
  ): Promise<UpstreamSide> {
    if (length === undefined || body !== undefined) {
      const end = (upstream: UpstreamSide) => {
        if (body !== undefined) {
          upstream.body.write(body);
          log.sent += body.length;
        }
        upstream.end(this.#checkedTrailers(client));
      };
      const first = await this.#send(head, length, false, version);
      end(first);
      return this.#again(
        first,
        async () => {
          const again = await this.#send(head, length, false, version);
          end(again);
          return again;
        },
        client,
      );
    }
    const upstream = await this.#send(head, length, client.wantsContinue, version);
    client.onClose(() => upstream.abort());
    if (client.wantsContinue) upstream.onContinue(() => client.sendContinue());
    const { holdings } = this.#options;
    const watched = stoppingStream(
      holdings.placeholders,
      log.count('sent'),
      (label) => new Refused(bodyRefusal(holdings.held[label] as Held)),
    );
    const sending = passedOn(client.body, watched, upstream.body).then(() =>
      upstream.end(this.#checkedTrailers(client)),
    );
    return { ...upstream, response: firstOf(upstream, sending) };
  }

  /** A server may close a connection just as it is used again; what it did not answer was not received. */
  #again(first: UpstreamSide, again: () => Promise<UpstreamSide>, client: ClientSide): UpstreamSide {
    let current = first;
    client.onClose(() => current.abort());
    const response = first.response.catch(async (error: NodeJS.ErrnoException) => {
      if (!isStale(first, error)) throw error;
      current = await again();
      return current.response;
    });
    return { ...first, response };
  }

  #checkedTrailers(client: ClientSide): readonly Header[] {
    const { held, placeholders } = this.#options.holdings;
    const trailers = client.trailers();
    const text = trailers.map(([name, value]) => `${name}: ${value}`).join('\n');
    if (text === '') return [];
    const answer = answerTo(
      { method: client.head.method, target: '/', headers: trailers.map(([name, value]) => [`trailer ${name}`, value]) },
      {
        dialled: this.#dialled,
        held: held.map((one) => ({ ...one, rule: { ...one.rule, places: [], methods: [], paths: [] } })),
        needles: placeholders,
      },
    );
    if ('refused' in answer) throw new Refused(answer);
    return endToEnd(trailers);
  }

  async #relay(client: ClientSide, response: Awaited<UpstreamSide['response']>, log: RequestLog): Promise<void> {
    const { values } = this.#options.holdings;
    const decoder = decoderOf(response.headers, response.status);
    const headers = endToEnd(response.headers)
      .filter(([name]) => decoder === undefined || !['content-encoding', 'content-length'].includes(name.toLowerCase()))
      .map(([name, value]): Header => [name, masked(values, value)]);
    const to = client.respond({ status: response.status, message: masked(values, response.message ?? ''), headers });
    log.status = response.status;
    await carry(decoded(response.body, decoder), this.#maskFor(response.status, log), to);
    client.end(endToEnd(response.trailers()).map(([name, value]): Header => [name, masked(values, value)]));
    log.write(log.credentials.length > 0 ? 'swapped' : 'sent');
  }

  /** What a server makes out of a credential is a credential: the command gets placeholders for it. */
  async #capture(
    client: ClientSide,
    response: Awaited<UpstreamSide['response']>,
    from: readonly Held[],
    mint: MintRule,
    log: RequestLog,
  ): Promise<void> {
    const decoder = decoderOf(response.headers, response.status);
    const body = decoder === undefined ? response.body : response.body.pipe(decoder);
    const result = captured(await readAll(body, SMALL_BODY), from, mint, this.#options.holdings.held);
    if (result === undefined) throw new Refused(mintRefusal(log, mint));
    this.#options.holdings.add(result.held);
    const headers = endToEnd(response.headers)
      .filter(([name]) => !['content-encoding', 'content-length', 'set-cookie'].includes(name.toLowerCase()))
      .map(([name, value]): Header => [name, masked(this.#options.holdings.values, value)]);
    const { values } = this.#options.holdings;
    const to = client.respond({
      status: response.status,
      headers: [...headers, ['content-length', String(result.body.length)]],
    });
    to.write(Buffer.from(masked(values, result.body.toString('latin1')), 'latin1'));
    client.end([]);
    log.status = response.status;
    log.write('swapped', { rule: 'mint' });
  }

  /** Tokens of a log-in: renewed outside, or made anew where a person agrees. The command gets placeholders. */
  async #logIn(
    client: ClientSide,
    agent: LogInName,
    request: TokenRequest,
    version: Version,
    log: RequestLog,
  ): Promise<void> {
    const { logIns, confirm } = this.#options;
    const ask = (body: Buffer) => this.#askForTokens(client, { agent, body, version }, log);
    let isGone = false;
    client.onClose(() => {
      isGone = true;
    });
    const agreed = request.wants === 'renewal' || (await confirm?.(agent, this.#dialled, () => !isGone)) === true;
    // Whoever waits no longer would lose what comes: the next try finds the person's word still good. It is good for one.
    if (!agreed || (isGone && request.wants === 'log-in')) throw new Refused(logInRefusal(agent));
    const given =
      request.wants === 'renewal'
        ? await logIns.renew(request.held, (value) => ask(request.body(Buffer.from(value, 'latin1').toString('utf8'))))
        : await logIns.begin(agent, () => ask(request.body));
    if ('other' in given) return this.#relay(client, given.other, log);
    log.status = 200;
    const body = Buffer.from(masked(this.#options.holdings.values, given.body.toString('latin1')), 'latin1');
    const to = client.respond({
      status: 200,
      headers: [
        ['content-type', 'application/json'],
        ['cache-control', 'no-store'],
        ['content-length', String(body.length)],
      ],
    });
    to.write(body);
    client.end([]);
    log.write('swapped', { rule: given.again ? 'again' : 'renewed' });
  }

  /** What is on its way is not given up when the command ends: the server may have replaced the old tokens already. */
  async #askForTokens(
    client: ClientSide,
    { agent, body, version }: { readonly agent: LogInName; readonly body: Buffer; readonly version: Version },
    log: RequestLog,
  ): Promise<Asked<Response>> {
    const head = {
      method: 'POST',
      target: logInOf(agent).path,
      headers: asSent(endToEnd(client.head.headers), true),
    };
    let current: UpstreamSide | undefined;
    const send = async () => {
      current = await this.#send(head, body.length, false, version);
      current.body.write(body);
      current.end([]);
      return current;
    };
    const late = setTimeout(() => current?.abort(), TOKENS_MS);
    try {
      const first = await send();
      const response = await first.response.catch(async (error: NodeJS.ErrnoException) => {
        if (!isStale(first, error)) throw error;
        return (await send()).response;
      });
      log.sent += body.length;
      if (response.status >= 300) return { other: response };
      return { fields: await this.#fieldsOf(response) };
    } finally {
      clearTimeout(late);
    }
  }

  async #fieldsOf({ headers, status, body }: Response): Promise<LogInFields> {
    const decoder = decoderOf(headers, status);
    const data = await readAll(decoder === undefined ? body : body.pipe(decoder), SMALL_BODY);
    try {
      const fields: unknown = JSON.parse(data.toString('utf8'));
      return isFields(fields) ? fields : {};
    } catch {
      return {};
    }
  }

  #upgrade(req: http.IncomingMessage, socket: Duplex, first: Buffer): void {
    const log = new RequestLog(this.#dialled, req.method ?? 'GET', this.#options.record);
    socket.on('error', () => socket.destroy());
    this.#webSocket(req, socket, first, log).catch((error: unknown) => {
      const text =
        error instanceof Refused
          ? refusalText(error.refusal, this.#dialled)
          : failureText(error as NodeJS.ErrnoException, this.#dialled, log);
      if (error instanceof Refused)
        log.write('refused', {
          rule: error.refusal.refused,
          reason: error.refusal.reason,
          credential: error.refusal.credential,
        });
      else log.write('failed', { rule: ruleOf(error as NodeJS.ErrnoException), reason: (error as Error).message });
      refuseRaw(socket, text, error instanceof Refused ? 403 : 502);
    });
  }

  /** The request for one as it goes out, or a refusal. */
  #webSocketHead(req: http.IncomingMessage, log: RequestLog): Head {
    const headers = pairsOf(req.rawHeaders);
    if ((req.headers.upgrade ?? '').toLowerCase() !== 'websocket')
      throw new Refused({
        refused: 'upgrade',
        credential: '',
        reason: `a change to ${req.headers.upgrade} can't be looked through`,
        hint: 'use plain HTTP or a WebSocket',
      });
    const asked = {
      head: { method: req.method ?? 'GET', target: req.url ?? '/', headers },
      authorities: valuesOf(headers, 'host'),
    };
    requireSameName(asked, this.#dialled);
    // It goes out as GET: what is asked for in another way would be allowed for that way.
    if (asked.head.method !== 'GET')
      throw new Refused({
        refused: 'upgrade',
        credential: '',
        reason: `a WebSocket is asked for with GET, not with ${asked.head.method}`,
        hint: 'use GET, or leave out Upgrade',
      });
    const { holdings } = this.#options;
    const answer = answerTo(asked.head, {
      dialled: this.#dialled,
      held: holdings.held,
      needles: holdings.placeholders,
    });
    if ('refused' in answer) throw new Refused(answer);
    log.credentials = answer.credentials.map(({ name }) => name);
    // A server that makes no WebSocket of it answers as it would have otherwise.
    const mint = mintFor(this.#options.mints ?? [], this.#dialled, asked.head);
    if (mint !== undefined) throw new Refused(mintRefusal(log, mint));
    return { ...answer.head, headers: asSent(answer.head.headers, answer.credentials.length > 0) };
  }

  async #webSocket(req: http.IncomingMessage, socket: Duplex, first: Buffer, log: RequestLog): Promise<void> {
    const head = this.#webSocketHead(req, log);
    const { holdings } = this.#options;
    const { incoming, upstream, early } = await this.#openWebSocket(head, req);
    log.status = incoming.statusCode;
    if (upstream === undefined) {
      await this.#relayRaw(incoming, socket, log);
      return;
    }
    socket.write(rawHead(incoming, holdings.values));
    for (const one of [socket, upstream]) one.setMaxListeners(32); // Two pipelines listen to each.
    let refusal: RequestRefusal | undefined;
    const out = frameStream({
      needles: holdings.placeholders,
      masked: true,
      onData: log.count('sent'),
      onFound: (label) => {
        refusal = {
          ...bodyRefusal(holdings.held[label] as Held),
          reason: 'it stands in a message of a WebSocket, where it is never sent on',
        };
        return 'stop';
      },
    });
    const back = frameStream({
      needles: holdings.values,
      masked: false,
      onData: log.count('received'),
      onFound: () => 'mask',
    });
    if (first.length > 0) out.write(first);
    if (early.length > 0) back.write(early);
    await Promise.allSettled([pipeline(socket, out, upstream), pipeline(upstream, back, socket)]);
    socket.destroy();
    upstream.destroy();
    if (refusal === undefined) log.write(log.credentials.length > 0 ? 'swapped' : 'sent');
    else log.write('refused', { rule: refusal.refused, reason: refusal.reason, credential: refusal.credential });
  }

  /** An ordinary answer to who asked for a WebSocket. */
  async #relayRaw(incoming: http.IncomingMessage, socket: Duplex, log: RequestLog): Promise<void> {
    const { values } = this.#options.holdings;
    const decoder = decoderOf(pairsOf(incoming.rawHeaders), incoming.statusCode ?? 502);
    socket.write(rawHead(incoming, values, decoder !== undefined));
    await carry(decoded(incoming, decoder), this.#maskFor(incoming.statusCode, log), socket);
    socket.end();
    log.write(log.credentials.length > 0 ? 'swapped' : 'sent');
  }

  /** A part of a document may begin or end in the middle of a value. */
  #maskFor(status: number | undefined, log: RequestLog): ReturnType<typeof mask> {
    return mask(this.#options.holdings.values, log.count('received'), status === 206 ? 'part' : 'whole');
  }

  #openWebSocket(head: Head, req: http.IncomingMessage): Promise<OpenedWebSocket> {
    const drop = new Set(['host', 'sec-websocket-extensions', 'content-length']);
    const kept = endToEnd(head.headers).filter(([name]) => !drop.has(name.toLowerCase()));
    const headers: Header[] = [
      ['Host', this.#authority()],
      ...kept,
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ];
    return new Promise((resolve, reject) => {
      const request = http.request({
        agent: this.#agent,
        method: 'GET',
        path: head.target,
        headers: headers.flat(),
        setHost: false,
      });
      req.socket.once('close', () => request.destroy());
      request.once('error', reject);
      request.once('upgrade', (incoming, upstream, early) => resolve({ incoming, upstream, early }));
      request.once('response', (incoming) => resolve({ incoming, upstream: undefined, early: Buffer.alloc(0) }));
      request.end();
    });
  }
}

interface OpenedWebSocket {
  readonly incoming: http.IncomingMessage;
  readonly upstream: Socket | Duplex | undefined;
  readonly early: Buffer;
}

type Version = 'http/1.1' | 'h2';
type Response = Awaited<UpstreamSide['response']>;

/** The server closed the connection just as it was used again. */
const isStale = (upstream: UpstreamSide, { code = '' }: NodeJS.ErrnoException) =>
  upstream.wasReused() && ['ECONNRESET', 'EPIPE'].includes(code);

/** The request has to name the host that was dialled and that the handshake named, once and in no other way. */
function requireSameName(
  { head, authorities }: Pick<ClientSide, 'head' | 'authorities'>,
  { name, port }: Dialled,
): void {
  const no = (reason: string) =>
    new Refused({ refused: 'name', credential: '', reason, hint: `ask for ${name} itself` });
  if (authorities.length === 0) throw no('the request names no host');
  const wanted = [name, `${name}:${port}`];
  const other = authorities.find((one) => !wanted.includes(one.toLowerCase()));
  if (other !== undefined) throw no(`the request names the host ${other}, but ${name} was dialled`);
  if (authorities.length > 2) throw no('the request names its host more than once');
  if (!head.target.startsWith('/') && head.target !== '*')
    throw no('the request names a whole address where only a path belongs');
  if (head.method === 'CONNECT') throw no('CONNECT has no meaning at a host itself');
}

/** Nothing that can't be looked through is asked for. */
/** The host by which the request was addressed, where HTTP/2 has it elsewhere or the connection wants it shorter. */
function withHost(head: Head, host: string): Head {
  const others = head.headers.filter(([name]) => name.toLowerCase() !== 'host');
  return { ...head, headers: [['host', host], ...others] };
}

function asSent(headers: readonly Header[], hasCredential: boolean): Header[] {
  const kept = headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    if (lower === 'range') return !hasCredential || isLongRange(value);
    return lower !== 'accept-encoding' && lower !== 'grpc-accept-encoding';
  });
  const wasGrpc = valuesOf(headers, 'content-type').some((type) => type.startsWith('application/grpc'));
  return [
    ...kept,
    ['accept-encoding', 'identity'],
    ...(wasGrpc ? ([['grpc-accept-encoding', 'identity']] as const) : []),
  ];
}

const SHORTEST_RANGE = 4096;

/** Bit by bit a value could be read out of a document that holds it; without `Range` the server answers with all of it. */
function isLongRange(value: string): boolean {
  const [, from = '', to = ''] = /^\s*bytes\s*=\s*([0-9]*)-([0-9]*)\s*$/.exec(value) ?? [];
  if (from === '') return Number(to) >= SHORTEST_RANGE;
  return to === '' || Number(to) - Number(from) + 1 >= SHORTEST_RANGE;
}

function lengthOf({ hasBody, head }: ClientSide, body: Buffer | undefined): BodyLength {
  if (body !== undefined) return body.length;
  if (!hasBody) return ['POST', 'PUT', 'PATCH'].includes(head.method) ? 0 : undefined;
  const [declared] = valuesOf(head.headers, 'content-length');
  return declared === undefined ? 'chunked' : Number(declared);
}

/** A failure of the request's body ends the wait for an answer; its end doesn't. */
function firstOf(upstream: UpstreamSide, sending: Promise<void>): UpstreamSide['response'] {
  return new Promise((resolve, reject) => {
    upstream.response.then(resolve, reject);
    sending.catch((error: unknown) => {
      if (error instanceof Refused) upstream.abort();
      // A server may answer before it has read all, and close: its answer counts, if there is one.
      if (error instanceof Refused) reject(error);
      else setTimeout(reject, 1000, error).unref();
    });
  });
}

/** Unlike a pipeline it leaves both ends as they are when it fails: the client may still be told why. */
function passedOn(from: Readable, through: Transform, to: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (error: Error) => {
      from.unpipe(through);
      through.unpipe(to);
      reject(error);
    };
    through.once('error', stop);
    through.once('end', resolve);
    to.once('error', stop);
    to.once('close', () => stop(new Error('the server stopped reading')));
    from.once('error', stop);
    from.once('close', () => {
      if (!from.readableEnded) stop(new Error('the command stopped sending'));
    });
    from.pipe(through).pipe(to, { end: false });
  });
}

async function readAll(stream: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit)
      throw new Refused({
        refused: 'size',
        credential: '',
        reason: `a body that a credential may stand in has more than ${limit} bytes`,
        hint: 'send less at once',
      });
  }
  return Buffer.concat(chunks);
}

/** Nobody asked for it, but some servers compress all the same. */
function decoderOf(headers: readonly Header[], status: number) {
  const codings = valuesOf(headers, 'content-encoding').join(',').toLowerCase();
  if (codings === '' || codings === 'identity' || status === 204 || status === 304) return undefined;
  if (codings === 'gzip' || codings === 'x-gzip') return zlib.createGunzip();
  if (codings === 'deflate') return zlib.createInflate();
  if (codings === 'br') return zlib.createBrotliDecompress();
  throw Object.assign(new Error(`the server answered in ${codings}, which can't be looked through`), {
    code: 'ENCODING',
  });
}

/** What goes wrong on either side of the decoder ends both, and is heard of from the decoder. */
function decoded(body: Readable, decoder: Transform | undefined): Readable {
  if (decoder === undefined) return body;
  pipeline(body, decoder).catch(() => undefined);
  return decoder;
}

function rawHead(incoming: http.IncomingMessage, values: Needles, isDecoded = false): string {
  const isUpgrade = incoming.statusCode === 101;
  const dropped = ['connection', 'transfer-encoding', 'content-length', 'keep-alive'];
  if (isDecoded) dropped.push('content-encoding');
  const headers = pairsOf(incoming.rawHeaders).filter(([name]) => isUpgrade || !dropped.includes(name.toLowerCase()));
  const lines = headers.map(([name, value]) => `${name}: ${masked(values, value)}`);
  return [
    `HTTP/1.1 ${incoming.statusCode} ${masked(values, incoming.statusMessage ?? '')}`,
    ...lines,
    ...(isUpgrade ? [] : ['Connection: close']),
    '',
    '',
  ].join('\r\n');
}
