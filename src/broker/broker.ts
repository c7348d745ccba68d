import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { coversHost, coversName, type MintRule, type TokenShape } from '../policy/broker.ts';
import { type Authority, Issuer } from './authority.ts';
import { CIPHERS } from './ciphers.ts';
import type { BrokerRecord, Dialled, Held } from './held.ts';
import { Holdings, type Remember } from './holdings.ts';
import { type KeptLogIn, LogIns } from './log-ins.ts';
import { takePostgres } from './postgres.ts';
import { type Connect, PLAIN_HTTP } from './real-server.ts';
import { Site } from './site.ts';
import type { Confirm } from './token-request.ts';

/** What may stand in for the plain tunnel between a command and a host. `protocols` beyond HTTP implement it too. */
export interface Interceptor {
  readonly handles: (name: string, port: number) => boolean;
  /** Owns the client's connection from now on. `connect` makes one to the same name, whose address was checked. Until all is written down. */
  readonly take: (client: Duplex, dialled: Dialled, connect: Connect) => Promise<void>;
  readonly end: () => void;
}

export interface BrokerOptions {
  readonly held: readonly Held[];
  readonly authority: Authority;
  /** What servers are verified with, as PEM. */
  readonly trust: readonly string[];
  readonly mints?: readonly MintRule[];
  readonly shapes?: readonly TokenShape[];
  readonly logIns?: readonly KeptLogIn[];
  /** Where launches wait for each other to renew a log-in. */
  readonly locks?: string | undefined;
  readonly confirm?: Confirm;
  readonly remember?: Remember;
  /** Tells a person something. */
  readonly say?: (text: string) => void;
  readonly record: (entry: BrokerRecord) => void;
}

/** What V8 makes of code that is used much takes memory, less so without code of others in it; no request takes longer for that. */
const LITTLE_MEMORY = ['--optimize-for-size', '--max-inlined-bytecode-size-cumulative=100'];

/**
 * Stands between a command and the hosts that its credentials are for: ends TLS with a certificate of this launch, swaps placeholders for
 * values or refuses, and keeps values out of answers. Every other host is none of its business.
 */
export class Broker implements Interceptor {
  readonly #options: Omit<BrokerOptions, 'held' | 'authority' | 'logIns'>;
  readonly #holdings: Holdings;
  readonly #logIns: LogIns;
  readonly #issuer: Issuer;
  readonly #trust: tls.SecureContext;
  readonly #sites = new Map<string, Site>();

  constructor({ held, authority, logIns = [], ...options }: BrokerOptions) {
    for (const flag of LITTLE_MEMORY) setFlagsFromString(flag);
    this.#options = options;
    this.#holdings = new Holdings(held, options.remember);
    this.#logIns = new LogIns({
      kept: logIns,
      holdings: this.#holdings,
      locks: options.locks,
      say: options.say ?? (() => undefined),
    });
    this.#issuer = new Issuer(authority);
    this.#trust = tls.createSecureContext({ ca: [...options.trust], minVersion: 'TLSv1.2', ciphers: CIPHERS });
  }

  handles(name: string, port: number): boolean {
    const hosts = [
      ...this.#holdings.held.flatMap(({ rule }) => rule.hosts),
      ...(this.#options.mints ?? []).map(({ host }) => host),
    ];
    return hosts.some((host) => coversHost(host, name, port) || (port === PLAIN_HTTP && coversName(host, name)));
  }

  async take(client: Duplex, dialled: Dialled, connect: Connect): Promise<void> {
    const closed = new Promise((resolve) => client.once('close', resolve));
    const database = this.#databaseAt(dialled);
    if (database === undefined) this.#takeHttp(client, dialled, connect);
    else
      await takePostgres(client, dialled, connect, {
        ...database,
        leaf: () => this.#issuer.leafFor(dialled.name),
        secureContext: this.#trust,
        record: this.#options.record,
      });
    await closed;
    // What is about to be said of the last request.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #databaseAt({ name, port }: Dialled): { readonly held: Held; readonly secure: boolean } | undefined {
    for (const held of this.#holdings.held) {
      const place = held.rule.places.find(({ kind }) => kind === 'postgres');
      if (place?.kind === 'postgres' && held.rule.hosts.some((host) => coversHost(host, name, port)))
        return { held, secure: place.secure };
    }
    return undefined;
  }

  #takeHttp(client: Duplex, dialled: Dialled, connect: Connect): void {
    const key = `${dialled.name}:${dialled.port}`;
    const site =
      this.#sites.get(key) ??
      new Site(dialled, {
        ...this.#options,
        holdings: this.#holdings,
        logIns: this.#logIns,
        leaf: () => this.#issuer.leafFor(dialled.name),
        secureContext: this.#trust,
      });
    this.#sites.set(key, site);
    site.take(client, connect);
  }

  /** A renewal outlives the command: what the server replaced is written down first. */
  settled(): Promise<void> {
    return this.#logIns.settled();
  }

  end(): void {
    for (const site of this.#sites.values()) site.end();
    this.#sites.clear();
    this.#holdings.clear();
  }
}
