import http from 'node:http';
import http2 from 'node:http2';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { collectAfterConnection } from '../host/collect.ts';
import { cutOffSlowHeads } from '../host/patience.ts';
import { CIPHERS } from './ciphers.ts';
import { type ExchangeOptions, serve } from './exchange.ts';
import type { BrokerRecord, Dialled } from './held.ts';
import { type Connect, RealServer } from './real-server.ts';
import { refuseRaw } from './say.ts';
import { clientOfHttp1, clientOfHttp2 } from './sides.ts';
import { upgrade } from './upgrade.ts';

interface SiteOptions extends Omit<ExchangeOptions, 'dialled' | 'upstream'> {
  readonly leaf: () => { readonly cert: string; readonly key: string };
  readonly secureContext: tls.SecureContext;
}

const LONGEST_HEADERS = 1 << 17;
const PATIENCE_MS = 30_000;
/** Each takes much memory while it is under way, and hundreds at once are not over sooner than a few after each other. */
const MOST_HANDSHAKES = 4;

/** One host and port as the command finds it: servers that stand in for it, and end TLS in its name. */
export class Site {
  readonly #options: SiteOptions & ExchangeOptions;
  readonly #plain = new http.Server({ maxHeaderSize: LONGEST_HEADERS, requestTimeout: 0 });
  readonly #http2 = http2.createServer({ settings: { maxHeaderListSize: LONGEST_HEADERS } });
  readonly #secure: tls.Server | undefined;
  readonly #handshakes = new Turns(MOST_HANDSHAKES);
  readonly #open = new Set<Duplex>();

  constructor(dialled: Dialled, options: SiteOptions) {
    const upstream = new RealServer(dialled, options.secureContext);
    this.#options = { ...options, dialled, upstream };
    cutOffSlowHeads(this.#plain, PATIENCE_MS);
    this.#plain.on('request', (req, res) => serve(clientOfHttp1(req, res, false), this.#options));
    this.#plain.on('checkContinue', (req, res) => serve(clientOfHttp1(req, res, true), this.#options));
    this.#plain.on('upgrade', (req, socket, first) => upgrade(req, socket, first, this.#options));
    this.#plain.on('connect', (_req, socket) => refuseRaw(socket, 'CONNECT has no meaning at a host itself'));
    this.#plain.on('clientError', (_error, socket) => socket.destroy());
    this.#http2.on('stream', (stream: http2.ServerHttp2Stream, _headers: unknown, flags: number, raw?: string[]) => {
      stream.on('error', () => undefined); // Whoever reads or writes it hears of it.
      const ends = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      serve(clientOfHttp2(stream, raw ?? [], ends), this.#options);
    });
    this.#http2.on('sessionError', () => undefined);
    this.#secure = upstream.isPlain ? undefined : this.#newSecureServer();
  }

  #newSecureServer(): tls.Server {
    const { leaf, dialled } = this.#options;
    const { name } = dialled;
    const server = tls.createServer({
      ...leaf(),
      ciphers: CIPHERS,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: PATIENCE_MS,
      SNICallback: (asked, done) => {
        if (asked.toLowerCase() === name) return done(null);
        this.#note({ rule: 'name', reason: `the TLS handshake names ${asked}, but ${name} was dialled` });
        return done(new Error('the name of the handshake is not the one that was dialled'));
      },
    });
    server.on('secureConnection', (socket: tls.TLSSocket & { servername?: string | false }) => {
      this.#handshakes.end();
      if (typeof socket.servername !== 'string') {
        this.#note({ rule: 'name', reason: `the TLS handshake names no host, but ${name} was dialled` });
        socket.destroy();
        return;
      }
      socket.on('error', () => socket.destroy());
      (socket.alpnProtocol === 'h2' ? this.#http2 : this.#plain).emit('connection', socket);
    });
    server.on('tlsClientError', () => this.#handshakes.end());
    return server;
  }

  #note(entry: Pick<BrokerRecord, 'rule' | 'reason'>): void {
    const { name, port } = this.#options.dialled;
    this.#options.record({ host: name, port, credentials: [], verdict: 'refused', ...entry });
  }

  take(client: Duplex, connect: Connect): void {
    this.#options.upstream.connectBy(connect);
    collectAfterConnection();
    this.#open.add(client);
    client.once('close', () => this.#open.delete(client));
    client.on('error', () => client.destroy());
    const secure = this.#secure;
    if (secure === undefined) this.#plain.emit('connection', client);
    else this.#handshakes.take(() => (client.destroyed ? this.#handshakes.end() : secure.emit('connection', client)));
  }

  end(): void {
    for (const client of this.#open) client.destroy();
    this.#options.upstream.end();
  }
}

/** After so long it counts as waiting for somebody else, and another begins. */
const LONGEST_TURN_MS = 100;

/**
 * Things that take much while they are under way, of which only so many begin at once. Which of them is over is not told: a word too few costs
 * the others a moment, and one too many lets one more begin.
 */
class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  readonly #underWay: NodeJS.Timeout[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  take(begin: () => void): void {
    this.#waiting.push(begin);
    this.#next();
  }

  /** One of them is over. */
  end(): void {
    clearTimeout(this.#underWay.shift());
    this.#next();
  }

  #next(): void {
    while (this.#underWay.length < this.#most) {
      const begin = this.#waiting.shift();
      if (begin === undefined) return;
      // The oldest is the first whose time is over.
      this.#underWay.push(setTimeout(() => this.end(), LONGEST_TURN_MS));
      begin();
    }
  }
}
