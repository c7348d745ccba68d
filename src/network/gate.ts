import type net from 'node:net';
import type { Interceptor } from '../broker/broker.ts';
import type { BrokerRecord } from '../broker/held.ts';
import { parseAddress, showAddress } from '../policy/network/address.ts';
import { type HostRule, hostName, type NetworkPolicy, verdictOn } from '../policy/network/rules.ts';
import { type DialOptions, type DialTarget, dial } from './dial.ts';
import { isKnown } from './names.ts';
import { type NetworkRecord, RecordWriter } from './records.ts';
import { relay } from './relay.ts';
import { RefusedRequest } from './requests.ts';
import type { ConnectionLimits, Task } from './task.ts';

export type Via = NetworkRecord['via'];

/** Asks a person whether a host may be reached; false when nobody says so in time. */
export type Ask = (name: string, port: number) => Promise<boolean>;

export interface GateOptions {
  readonly task: Task;
  /** The launch that records go by. */
  readonly launch: string;
  readonly policy: NetworkPolicy;
  readonly limits: ConnectionLimits;
  readonly interceptors: readonly Interceptor[];
  readonly ask: Ask;
  /** Tells the supervisor of a host that was refused. */
  readonly refused: (host: string) => void;
}

/** More than a person reads, less than what fills a disk. */
const WORD = /^[\w.:[\]-]+$/;
/** Why a host that the list names is refused all the same, which nobody would guess. */
const LEADS_TO = /^it( leads to [\w.:]+), /;
const MOST_REFUSED = 1000;

/** Every connection comes by here, whichever way it was asked for: decided, dialled, watched, written down. */
export class Gate {
  readonly #options: GateOptions;
  readonly #writer: RecordWriter;
  readonly #seen = new Set<string>();
  readonly #learned = new Map<string, HostRule | undefined>();
  #refusals = 0;
  #open = 0;
  #whenIdle: () => void = () => undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#writer = new RecordWriter(options.task.state);
    process.once('exit', () => this.#writer.flush());
  }

  /** What was let through, for `learn`. */
  get learned(): ReadonlyMap<string, HostRule | undefined> {
    return this.#learned;
  }

  /** Whether a name is worth an address. Ports are looked at when one is dialled. */
  knows(name: string): boolean {
    const { policy } = this.#options;
    if (policy.mode === 'learn' || policy.mode === 'ask')
      return !policy.deny.some((rule) => rule.port === undefined && meets(rule, name));
    return isKnown(policy, name);
  }

  noSuchName(name: string): void {
    this.#refuse(name, undefined, 'dns', 'no rule names it');
  }

  /** The target, or a refusal that has been written down. */
  async admit(host: string, port: number, via: Via): Promise<DialTarget> {
    const { policy, ask } = this.#options;
    const parsed = hostName(host);
    const address = parseAddress(host);
    if (!('name' in parsed) && address === undefined)
      throw this.#refuse(host.toLowerCase().slice(0, 260), port, via, `it ${parsed.problem}`);
    // From here on it is a name or an address in its one spelling, and nothing that others might read otherwise.
    const name = address === undefined ? (parsed as { readonly name: string }).name : showAddress(address);
    const { allowed, rule } = verdictOn(policy, name, port);
    if (allowed) {
      this.#learned.set(`${name}:${port}`, rule);
      return { name, port, rule };
    }
    if (rule === undefined && policy.mode === 'ask' && (await ask(name, port))) return { name, port, rule: undefined };
    throw this.#refuse(name, port, via, rule === undefined ? 'no rule names it' : `denied (${rule.origin})`, rule);
  }

  /** A port of this machine that the list names. */
  loopback(port: number): DialTarget | undefined {
    const rule = this.#options.policy.allow.find((one) => one.kind === 'loopback' && one.port === port);
    return rule === undefined ? undefined : { name: 'localhost', port, rule };
  }

  /** A request that the broker swapped something in, or refused. */
  brokered({
    host: name,
    port,
    verdict,
    rule,
    credentials,
    method,
    status,
    sent,
    received,
    milliseconds: ms,
    reason: why,
  }: BrokerRecord): void {
    if (verdict === 'refused') this.#options.refused(`${name}:${port}`);
    const more = {
      rule,
      why,
      sent,
      received,
      ms,
      method,
      status,
      ...(credentials.length === 0 ? {} : { credentials }),
    };
    this.#record({ name, port }, 'broker', {
      verdict: verdict === 'sent' || verdict === 'swapped' ? 'allowed' : verdict,
      ...more,
    });
  }

  refuse(name: string, port: number, via: Via, why: string): RefusedRequest {
    return this.#refuse(name, port, via, why);
  }

  /** The client's side of a connection to a host that was admitted: owned from here on. */
  async join(client: net.Socket, target: DialTarget, via: Via): Promise<void> {
    const interceptor = this.interceptorFor(target);
    if (interceptor !== undefined) {
      this.#open++;
      try {
        await interceptor.take(client, target, () => this.dial(target, via));
      } finally {
        this.#open--;
      }
      return;
    }
    const started = Date.now();
    client.pause();
    const server = await this.dial(target, via);
    if (client.destroyed) server.destroy();
    const { headBytes, handshakeMs, idleMs } = this.#options.limits;
    const check = {
      name: isAddress(target.name) || target.rule?.kind === 'loopback' ? undefined : target.name,
      port: target.port,
      headBytes,
      beginMs: handshakeMs,
    };
    this.#open++;
    const { sent, received, refused } = await relay(client, server, check, idleMs);
    if (refused !== undefined) this.#refuse(target.name, target.port, via, refused, target.rule);
    else this.#recordEnd(target, via, started, { sent, received });
    this.#closed();
  }

  /** Once all that is under way is over and written down; what takes longer than that is not waited for. */
  async settled(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, ms).unref();
      this.#whenIdle = resolve;
      if (this.#open === 0) resolve();
    });
    this.#writer.flush();
  }

  #closed(): void {
    if (--this.#open === 0) this.#whenIdle();
  }

  /** A connection that somebody else passes on, to be written down when it is over. */
  watch(server: net.Socket, target: DialTarget, via: Via): void {
    const started = Date.now();
    this.#open++;
    server.once('close', () => {
      this.#recordEnd(target, via, started, { sent: server.bytesWritten, received: server.bytesRead });
      this.#closed();
    });
  }

  async dial(target: DialTarget, via: Via): Promise<net.Socket> {
    const { policy, task, limits } = this.#options;
    const options: DialOptions = { policy, upstream: task.upstream, connectMs: limits.connectMs };
    try {
      return await dial(target, options);
    } catch (error) {
      const why = (error as Error).message;
      if (error instanceof RefusedRequest) throw this.#refuse(target.name, target.port, via, why, target.rule);
      this.#record(target, via, { verdict: 'failed', rule: ruleText(target.rule), why });
      throw error;
    }
  }

  interceptorFor({ name, port }: DialTarget): Interceptor | undefined {
    return this.#options.interceptors.find((one) => one.handles(name, port));
  }

  #refuse(name: string, port: number | undefined, via: Via, why: string, rule?: HostRule): RefusedRequest {
    const host = port === undefined ? name : `${name}:${port}`;
    const told = `${host} ${why}`;
    if (!this.#seen.has(told) && this.#refusals < MOST_REFUSED) {
      this.#refusals++;
      // The line at the end speaks in Cordon's voice: a command's own sentences are for the log.
      const shown = WORD.test(host) ? host : 'what is not the name of a host';
      if (!this.#seen.has(host)) this.#options.refused(`${shown}${LEADS_TO.exec(why)?.[1] ?? ''}`);
      this.#seen.add(host).add(told);
      this.#record({ name, port }, via, { verdict: 'refused', rule: ruleText(rule), why });
    }
    return new RefusedRequest(`${host} is not let through: ${why}`);
  }

  #recordEnd(target: DialTarget, via: Via, started: number, bytes: Pick<NetworkRecord, 'sent' | 'received'>): void {
    this.#record(target, via, {
      verdict: 'allowed',
      rule: ruleText(target.rule),
      ...bytes,
      ms: Date.now() - started,
    });
  }

  #record(
    { name, port }: { readonly name: string; readonly port?: number | undefined },
    via: Via,
    more: Omit<NetworkRecord, 'time' | 'launch' | 'name' | 'port' | 'via'>,
  ): void {
    const { launch } = this.#options;
    this.#writer.add({ time: new Date().toISOString(), launch, name, port, via, ...more });
  }
}

const ruleText = (rule: HostRule | undefined) => rule?.set ?? rule?.text;
const isAddress = (name: string) => parseAddress(name) !== undefined;
const meets = (rule: HostRule, name: string) =>
  (rule.kind === 'name' && rule.name === name) || (rule.kind === 'below' && name.endsWith(`.${rule.name}`));
