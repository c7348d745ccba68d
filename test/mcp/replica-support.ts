import { randomInt } from 'node:crypto';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { shardOf } from '../../src/mcp/http/shards.ts';
import { TokenStore } from '../../src/mcp/http/tokens.ts';
import { identityOf, type User } from '../support/users.ts';
import { callOf, INITIALIZE, post, type Started } from './http-support.ts';
import { ownValue, Place, type Running } from './support.ts';

/** Servers that share the users of one place, each at an address of this machine that no other test has. */
export class Replicas {
  readonly place: Place;
  readonly tokenFile: string;
  readonly origins: readonly string[];
  readonly tokens = new Map<string, string>();
  readonly servers: Running[] = [];
  readonly #more: readonly string[];
  readonly #store: TokenStore;

  constructor(user: User, people: readonly string[], { count = 2, more = [] as readonly string[] } = {}) {
    this.place = new Place(user);
    this.tokenFile = join(this.place.home, 'tokens.jsonl');
    this.#store = new TokenStore(this.tokenFile, 'shared');
    this.#more = more;
    const net = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`;
    this.origins = Array.from({ length: count }, (_, i) => `http://${net}.${i + 1}:8731`);
    for (const name of people) this.#settle(name);
    this.#give(this.tokenFile);
  }

  /** Workspace, secrets and token; the last made here, since the program makes one at a time. */
  #settle(name: string): void {
    for (const folder of [this.place.workspaceOf(name), join(this.place.home, 'users', name)]) {
      mkdirSync(folder, { mode: 0o700, recursive: true });
      this.#give(folder);
    }
    this.place.write(this.place.secretsOf(name), `sandboxed_envs:\n  OWN_KEY: ${ownValue(name)}\n`, 0o600);
    this.tokens.set(name, this.#store.add(name).token);
  }

  #give(path: string): void {
    const { uid, gid } = identityOf(this.place.user);
    chownSync(path, uid, gid);
  }

  async start(number: number, { through, env }: Started = {}, more: readonly string[] = []): Promise<Running> {
    const count = this.origins.length;
    const flags = ['--workspaces', this.place.workspaces, '--listen', new URL(this.origin(number)).host];
    const shard = ['--shard', `${number}/${count}`, '--peers', this.origins.join(','), '--tokens', this.tokenFile];
    const hosts = ['--allow-host', 'replicas.test'];
    const server = this.place.start(['serve', ...flags, ...shard, ...hosts, ...this.#more, ...more], env, through);
    await server.says(/listening on/);
    this.servers[number] = server;
    return server;
  }

  async startAll(started: Started = {}): Promise<this> {
    await Promise.all(this.origins.map((_, number) => this.start(number, started)));
    return this;
  }

  origin = (number: number) => this.origins[number] as string;
  server = (number: number) => this.servers[number] as Running;
  token = (name: string) => this.tokens.get(name) as string;
  homeOf = (name: string) => shardOf(name, this.origins.length);

  async open(name: string, at: number): Promise<string> {
    const answer = await post({ origin: this.origin(at) }, this.token(name), INITIALIZE);
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? `none: ${answer.status}`;
  }

  async call(name: string, id: string, command: string, at: number): Promise<Called> {
    const answer = await post({ origin: this.origin(at) }, this.token(name), callOf(command), { 'mcp-session-id': id });
    return readCall(answer.status, await answer.text());
  }

  async metric(at: number, name: string): Promise<number> {
    const text = await (await fetch(`${this.origin(at)}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1) ?? 0,
    );
  }
}

export interface Called {
  readonly status: number;
  readonly text: string;
  /** Only of a call that is reported as done. */
  readonly output: string | undefined;
}

export function readCall(status: number, text: string): Called {
  const [, data = text] = /^data: (\{.*)$/m.exec(text) ?? [];
  return { status, text, output: outputOf(data) };
}

function outputOf(data: string): string | undefined {
  try {
    return JSON.parse(data).result?.structuredContent?.output;
  } catch {
    return undefined;
  }
}
