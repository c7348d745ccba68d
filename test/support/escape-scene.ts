import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { freshHome } from './cordon.ts';
import { identityOf, type User } from './users.ts';

/** The place of one attempt: a throw-away home with a working folder in it, and a secret that must not be found. */
export class Scene {
  readonly user: User;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly work: string;
  readonly canary = `canary-${randomUUID()}`;

  constructor(user: User) {
    this.user = user;
    ({ uid: this.uid, gid: this.gid } = identityOf(user));
    this.home = freshHome(user);
    this.work = this.folder('work');
    onTestFinished(() => removeFolder(this.home));
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

  /** Makes it this user's. */
  own(path: string): string {
    chownSync(path, this.uid, this.gid);
    return path;
  }

  /** An abstract socket of the user's, by a process that gives the canary to whoever connects. */
  async listenAbstract(name: string): Promise<void> {
    await this.process(['python3', '-c', ABSTRACT_LISTENER, name, this.canary], { PATH: '/usr/bin:/bin' });
  }

  /** A socket outside that gives the canary to whoever connects: at a path, or on a port of the loopback (0: any). */
  async listen(place: string | number): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => undefined).end(`${this.canary}\n`));
    const path = typeof place === 'number' ? undefined : resolve(this.home, place);
    if (path !== undefined) this.folder(dirname(path));
    server.listen(path === undefined ? { port: place as number, host: '127.0.0.1' } : { path });
    await once(server, 'listening');
    if (path !== undefined) chmodSync(this.own(path), 0o700);
    onTestFinished(() => void server.close());
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** A process of the user's outside the sandbox that says a line once it is ready and lives until the test ends. */
  async process(argv: readonly string[] = WAITING, env: Readonly<Record<string, string>> = {}): Promise<Outsider> {
    const [program = '', ...args] = argv;
    const { uid, gid, work: cwd } = this;
    const child = spawn(program, args, { uid, gid, cwd, env: environment(env), stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = new Lines(child);
    onTestFinished(() => void child.kill('SIGKILL'));
    return { pid: child.pid as number, child, ready: await lines.next(), next: () => lines.next() };
  }
}

export interface Outsider {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The first line it said. */
  readonly ready: string;
  readonly next: () => Promise<string>;
}

const ABSTRACT_LISTENER = `
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind('\\0' + sys.argv[1])
server.listen()
print('ready', flush=True)
while True: server.accept()[0].sendall(sys.argv[2].encode())
`;

const WAITING = ['/bin/sh', '-c', 'echo ready; read line'];

/** Lines of a process's output, in order, whether they came before they were asked for or not. */
class Lines {
  #text = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor({ stdout }: ChildProcess) {
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
    stdout?.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  async next(): Promise<string> {
    while (!this.#text.includes('\n') && !this.#ended)
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    const [line = '', ...rest] = this.#text.split('\n');
    this.#text = rest.join('\n');
    return line;
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

/** Exactly this, whatever the Node that runs the tests would add. */
export function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return Object.assign(Object.create(null), { NODE_V8_COVERAGE: undefined }, env) as NodeJS.ProcessEnv;
}
