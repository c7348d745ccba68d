import http from 'node:http';
import http2 from 'node:http2';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import type { Head } from './head.ts';
import type { Dialled } from './held.ts';
import { type BodyLength, sendByHttp1, sendByHttp2, type UpstreamSide, type Version } from './sides.ts';

export type Connect = () => Promise<Socket>;

export const PLAIN_HTTP = 80;
const CONNECT_MS = 30_000;
const IDLE_MS = 15 * 60_000;

/** The connections to one host and port, over which its requests go out. */
export class RealServer {
  /** As requests name it. */
  readonly authority: string;
  readonly isPlain: boolean;
  readonly agent = new http.Agent({ keepAlive: true, maxFreeSockets: 32, timeout: IDLE_MS });
  readonly #dialled: Dialled;
  readonly #secureContext: tls.SecureContext;
  #connect: Connect = () => Promise.reject(new Error('nothing was dialled yet'));
  #session: Promise<http2.ClientHttp2Session | undefined> | undefined;
  #tlsSession: Buffer | undefined;

  constructor(dialled: Dialled, secureContext: tls.SecureContext) {
    const { name, port } = dialled;
    this.authority = port === 443 ? name : `${name}:${port}`;
    this.isPlain = port === PLAIN_HTTP;
    this.#dialled = dialled;
    this.#secureContext = secureContext;
    const agent = this.agent as unknown as {
      createConnection: (options: object, done: (error: Error | null, socket?: Socket) => void) => void;
      addRequest: (request: http.ClientRequest, options: object) => void;
    };
    agent.createConnection = (_options, done) => {
      this.#open(['http/1.1']).then((socket) => done(null, socket), done);
    };
    // A connection would keep what it was first asked for, with the value in it, for as long as it is open.
    const addRequest = agent.addRequest.bind(agent);
    agent.addRequest = (request, options) => addRequest(request, { ...options, headers: undefined, path: undefined });
  }

  /** How connections are made from now on. */
  connectBy(connect: Connect): void {
    this.#connect = connect;
  }

  async send(head: Head, length: BodyLength, expect: boolean, version: Version): Promise<UpstreamSide> {
    const session = version === 'h2' ? await this.#http2Session() : undefined;
    if (session !== undefined) return sendByHttp2(head, length, expect, session, this.authority);
    return sendByHttp1(head, length, expect, { ...this.#dialled, agent: this.agent });
  }

  /**
   * A request whose body is at hand, which `finish` writes and ends. A server may close a connection just as it is used again; what it did
   * not answer was not received, and is sent once more.
   */
  async sendWhole(
    head: Head,
    length: BodyLength,
    version: Version,
    finish: (upstream: UpstreamSide) => void,
  ): Promise<Pick<UpstreamSide, 'response' | 'abort'>> {
    const send = async () => {
      const upstream = await this.send(head, length, false, version);
      finish(upstream);
      return upstream;
    };
    const first = await send();
    let current = first;
    const response = first.response.catch(async (error: NodeJS.ErrnoException) => {
      if (!first.wasReused() || !['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) throw error;
      current = await send();
      return current.response;
    });
    return { response, abort: () => current.abort() };
  }

  end(): void {
    this.agent.destroy();
    this.#session?.then((session) => session?.destroy()).catch(() => undefined);
  }

  /** Over TLS always verified, unless the site is one of plain HTTP, where no value is ever sent. */
  async #open(protocols: readonly string[]): Promise<Socket> {
    const socket = await this.#connect();
    socket.setNoDelay(true);
    if (this.isPlain) {
      // Half open, a connection that the server ended would be kept, and the next request on it never answered.
      socket.allowHalfOpen = false;
      return socket;
    }
    return new Promise((resolve, reject) => {
      const secure = tls.connect({
        socket,
        servername: this.#dialled.name,
        ALPNProtocols: [...protocols],
        secureContext: this.#secureContext,
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
    const socket = (await this.#open(['h2', 'http/1.1'])) as tls.TLSSocket;
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return undefined;
    }
    const session = http2.connect(`https://${this.authority}`, {
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
}
