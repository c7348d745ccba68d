import { Duplex, PassThrough, Writable } from 'node:stream';
import type { Api } from './api.ts';
import { FrameReader, frames, KIND } from './frames.ts';
import { WebSocket } from './web-socket.ts';

/** The newest first; in the older one nothing can be closed, which is never asked for here. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const CHANNEL = { input: 0, output: 1, errors: 2, status: 3 } as const;
/** API servers differ in how long a message may be. */
const LARGEST_MESSAGE = 32 << 10;

/** How long an exec may take to be there; how often either side says that it still is; how long it may be silent. */
const OPEN_MS = 10_000;
const BEAT_MS = 4000;
const SILENT_MS = 20_000;

/** `exit`: whole, to the last byte. `told`: ended from here. `closed`, `silent`: nobody knows what became of it. */
export type How = 'exit' | 'told' | 'closed' | 'silent';

export interface ExecPlace {
  readonly api: Api;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The launcher's file inside, and the folder for the mark of the pod's user. */
  readonly launcher: string;
  readonly folder: string;
  readonly mark: string;
}

/** A launcher in a pod, over one exec: what it says and is told, and what its command reads and writes. */
export class RelayedProcess {
  readonly control: Duplex;
  readonly stdin: Writable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly stdio: readonly [Writable, PassThrough, PassThrough];
  readonly ended: Promise<How>;
  readonly #reader = new FrameReader((kind, bytes) => this.#hear(kind, bytes));
  #socket: WebSocket | undefined;
  #end: (how: How) => void = () => undefined;
  #heardAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #said = '';
  #isOver = false;

  private constructor() {
    this.control = new Duplex({
      read: () => undefined,
      write: (chunk, _encoding, done) => this.#send(KIND.control, chunk, done),
      destroy: (error, done) => {
        this.#finish('told');
        done(error);
      },
    });
    this.control.on('error', () => undefined);
    this.stdin = new Writable({
      write: (chunk, _encoding, done) => this.#send(KIND.input, chunk, done),
      final: (done) => this.#send(KIND.inputEnd, Buffer.alloc(0), done),
    });
    this.stdio = [this.stdin, this.stdout, this.stderr];
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  static async open(place: ExecPlace): Promise<RelayedProcess> {
    const relayed = new RelayedProcess();
    const { api, namespace, pod, container, launcher, folder, mark } = place;
    const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' });
    for (const word of [launcher, `--relay=${folder}`]) query.append('command', word);
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
    const listener = {
      message: (bytes: Buffer) => relayed.#receive(bytes),
      closed: () => relayed.#finish('closed'),
    };
    relayed.#socket = await WebSocket.open(api, path, PROTOCOLS, listener, OPEN_MS);
    relayed.#begin(mark);
    return relayed;
  }

  /** What was said besides frames: why there are none. */
  get said(): string {
    return this.#said.trim();
  }

  kill(): boolean {
    this.#finish('told');
    return true;
  }

  #begin(mark: string): void {
    this.#send(KIND.owner, Buffer.from(mark, 'latin1'));
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  #beat(): void {
    if (performance.now() - this.#heardAt > SILENT_MS) this.#finish('silent');
    else this.#send(KIND.beat, Buffer.alloc(0));
  }

  #send(kind: string, bytes: Uint8Array, done: () => void = () => undefined): void {
    const whole = frames(kind, bytes);
    let isFree = true;
    for (let at = 0; at < whole.length; at += LARGEST_MESSAGE) {
      const message = Buffer.concat([Buffer.of(CHANNEL.input), whole.subarray(at, at + LARGEST_MESSAGE)]);
      isFree = this.#socket?.send(message) ?? true;
      message.fill(0);
    }
    if (kind === KIND.control) whole.fill(0);
    if (isFree) done();
    else this.#socket?.once('drain', done);
  }

  #receive(message: Buffer): void {
    if (this.#isOver) return;
    this.#heardAt = performance.now();
    const [channel, bytes] = [message[0], message.subarray(1)];
    if (channel === CHANNEL.output && !this.#reader.push(bytes)) this.#finish('closed');
    if (channel === CHANNEL.errors || channel === CHANNEL.status)
      this.#said = `${this.#said}${bytes.toString('utf8')}`.slice(-2000);
  }

  #hear(kind: string, bytes: Buffer): void {
    if (kind === KIND.control) this.control.push(bytes);
    else if (kind === KIND.output) this.stdout.write(bytes);
    else if (kind === KIND.errors) this.stderr.write(bytes);
    else if (kind === KIND.exit) this.#finish('exit');
  }

  #finish(how: How): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#socket?.close();
    this.control.push(null);
    for (const stream of [this.stdout, this.stderr]) stream.end();
    this.#end(how);
  }
}
