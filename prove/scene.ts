import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { endGroup, startHelper } from './helper.ts';
import { Lines } from './lines.ts';
import { ended, type TrialOutcome } from './outcome.ts';
import { ABSTRACT_LISTENER } from './scripts.ts';

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** A process of the user's outside the sandbox that has said it is ready. */
export interface Outsider {
  readonly pid: number;
  /** The first line it said. */
  readonly ready: string;
  readonly next: () => Promise<string>;
  readonly say: (text: string) => void;
}

const PLAIN = { PATH: '/usr/local/bin:/usr/bin:/bin' } as const;
const WAITING = ['/bin/sh', '-c', 'echo ready; read line'];

/** The place of one attempt: a throw-away home with a working folder in it, and a stand-in for a secret that must not be found. */
export class Scene {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly work: string;
  readonly canary = `canary-${randomUUID()}`;
  readonly #endings: (() => unknown)[] = [];

  /** The folder is empty and this user's own. */
  constructor(home: string, { uid, gid }: Identity) {
    this.home = home;
    this.uid = uid;
    this.gid = gid;
    this.work = this.folder('work');
  }

  /** Something to undo when the attempt is over; the last comes first. */
  atEnd(undo: () => unknown): void {
    this.#endings.push(undo);
  }

  async end(): Promise<void> {
    const problems: unknown[] = [];
    // One that fails must not keep the others from ending what they started.
    for (const undo of this.#endings.splice(0).reverse()) await attempted(undo, problems);
    await removeFolder(this.home);
    if (problems.length > 0) throw problems[0];
  }

  /** A file of this user's; a relative path lies in the home. */
  file(path: string, text = `${this.canary}\n`, mode = 0o600): string {
    const place = resolve(this.home, path);
    this.folder(dirname(place));
    writeFileSync(place, text);
    chmodSync(place, mode);
    return this.own(place);
  }

  folder(path: string, mode = 0o755): string {
    const place = resolve(this.home, path);
    const first = mkdirSync(place, { recursive: true, mode });
    for (let made = place; first !== undefined && made.startsWith(first); made = dirname(made)) this.own(made);
    return place;
  }

  path(path: string): string {
    return join(this.home, path);
  }

  /** Makes it this user's. */
  own(path: string): string {
    chownSync(path, this.uid, this.gid);
    return path;
  }

  /** A socket outside that gives the canary to whoever connects: at a path, or on a port of the loopback (0: any). */
  async listen(place: string | number): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => undefined).end(`${this.canary}\n`));
    this.atEnd(() => server.close());
    const path = typeof place === 'number' ? undefined : shortEnough(resolve(this.home, place));
    if (path !== undefined) this.folder(dirname(path));
    server.listen(path === undefined ? { port: place as number, host: '127.0.0.1' } : { path });
    await once(server, 'listening');
    if (path !== undefined) chmodSync(this.own(path), 0o700);
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** An abstract socket of the user's, by a process that gives the canary to whoever connects. */
  async listenAbstract(name: string): Promise<void> {
    await this.process(['python3', '-c', ABSTRACT_LISTENER, name, this.canary]);
  }

  /** A process of the user's that says a line once it is ready and lives until the attempt is over. */
  async process(argv: readonly string[] = WAITING, env: Readonly<Record<string, string>> = PLAIN): Promise<Outsider> {
    const child = this.#start(argv, env);
    this.atEnd(() => endGroup(child));
    const lines = new Lines(child);
    const say = (text: string) => void child.stdin?.write(text);
    return { pid: child.pid as number, ready: await lines.next(), next: () => lines.next(), say };
  }

  /** A command of the user's that prepares something and ends. */
  async command(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<TrialOutcome> {
    const child = this.#start(argv, { ...PLAIN, HOME: this.home, ...env });
    child.stdin?.end();
    const outcome = await ended(child);
    if (outcome.code !== 0) throw new Error(`${argv[0]} could not prepare this: ${outcome.stderr.trim()}`);
    return outcome;
  }

  #start(argv: readonly string[], env: Readonly<Record<string, string>>) {
    const child = startHelper(argv, { env, cwd: this.work, uid: this.uid, gid: this.gid });
    child.stdin?.on('error', () => undefined);
    return child;
  }
}

/** The kernel takes no more, and Node cuts off what is over without a word. */
function shortEnough(path: string): string {
  if (Buffer.byteLength(path) < 108) return path;
  throw new Error('the path of the socket would be too long: set TMPDIR to a folder with a shorter one');
}

async function attempted(undo: () => unknown, problems: unknown[]): Promise<void> {
  try {
    await undo();
  } catch (error) {
    problems.push(error);
  }
}

/** What was killed a moment ago may still be writing: a shell its history, say. */
async function removeFolder(path: string, attempts = 200): Promise<void> {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (attempts === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await removeFolder(path, attempts - 1);
  }
}
