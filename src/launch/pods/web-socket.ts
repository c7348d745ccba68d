import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Api, ApiRefusal, Away, messageIn } from './api.ts';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const LARGEST_MESSAGE = 16 << 20;
const CODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Listener {
  readonly message: (bytes: Buffer) => void;
  /** Once, however it came about. */
  readonly closed: () => void;
}

/** No answer came over a connection that was there: whoever it was asked about may be the reason. */
export class Silent extends Error {}

/** The client's side of a WebSocket (RFC 6455), as far as an exec needs it: whole messages, no extensions. */
export class WebSocket {
  readonly #socket: Duplex;
  readonly #listener: Listener;
  #rest: Buffer = Buffer.alloc(0);
  readonly #message: Buffer[] = [];
  #isClosed = false;

  private constructor(socket: Duplex, head: Buffer, listener: Listener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', () => this.close());
    socket.once('close', () => this.close());
    socket.once('end', () => this.close());
    if (head.length > 0) this.#take(head);
  }

  static open(api: Api, path: string, protocols: readonly string[], listener: Listener, withinMs: number) {
    const key = randomBytes(16).toString('base64');
    const headers = {
      accept: '*/*',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      'sec-websocket-protocol': protocols.join(', '),
    };
    return new Promise<WebSocket>((resolve, reject) => {
      let isConnected = false;
      const asked = request(api.options(path, { method: 'GET', agent: false, headers }));
      const fail = (error: Error) => {
        clearTimeout(timer);
        asked.destroy();
        reject(error);
      };
      const timer = setTimeout(() => fail(isConnected ? new Silent() : new Away('no answer in time')), withinMs);
      asked.once('socket', (socket) =>
        socket.once('secureConnect', () => {
          isConnected = true;
        }),
      );
      asked.on('error', (error: NodeJS.ErrnoException) => fail(new Away(error.code ?? error.message)));
      asked.once('response', (answer) => {
        text(answer).then(
          (said) => fail(new ApiRefusal(answer.statusCode ?? 0, messageIn(said))),
          (error: Error) => fail(new Away(error.message)),
        );
      });
      asked.once('upgrade', (answer, socket, head) => {
        clearTimeout(timer);
        const accepted = createHash('sha1').update(`${key}${GUID}`).digest('base64');
        if (answer.headers['sec-websocket-accept'] !== accepted) {
          socket.destroy();
          fail(new ApiRefusal(502, 'it does not speak WebSocket'));
        } else resolve(new WebSocket(socket, head, listener));
      });
      asked.end();
    });
  }

  /** False: what was sent waits, as in a stream. */
  send(bytes: Buffer): boolean {
    return this.#isClosed ? true : this.#write(CODE.binary, bytes);
  }

  once(event: 'drain', act: () => void): void {
    this.#socket.once(event, act);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#write(CODE.close, Buffer.alloc(0));
    this.#isClosed = true;
    this.#socket.destroy();
    this.#listener.closed();
  }

  /** What a client sends is masked with a key of its own, on which nothing depends here: the way is TLS. */
  #write(code: number, payload: Buffer): boolean {
    const key = randomBytes(4);
    const { length } = payload;
    const frame = Buffer.concat([headOf(code, length), key, payload]);
    const at = frame.length - length;
    for (let i = 0; i < length; i++) frame[at + i] = (frame[at + i] as number) ^ (key[i & 3] as number);
    return this.#socket.write(frame);
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (!this.#isClosed && this.#frame());
  }

  /** False when there is no whole frame yet. */
  #frame(): boolean {
    const rest = this.#rest;
    if (rest.length < 2) return false;
    const [first, second] = [rest[0] as number, rest[1] as number];
    const size = LENGTH_BYTES[second & 127] ?? 0;
    if (rest.length < 2 + size) return false;
    const length = lengthIn(rest, size);
    // A server masks nothing, and no extension was agreed on.
    if ((second & 0x80) !== 0 || (first & 0x70) !== 0 || length > LARGEST_MESSAGE) {
      this.close();
      return false;
    }
    if (rest.length < 2 + size + length) return false;
    const payload = rest.subarray(2 + size, 2 + size + length);
    this.#rest = rest.subarray(2 + size + length);
    this.#understand(first & 15, (first & 0x80) !== 0, payload);
    return true;
  }

  #understand(code: number, isLast: boolean, payload: Buffer): void {
    if (code === CODE.close) this.close();
    else if (code === CODE.ping) this.#write(CODE.pong, payload);
    else if (code !== CODE.pong) this.#gather(isLast, payload);
  }

  #gather(isLast: boolean, payload: Buffer): void {
    this.#message.push(payload);
    if (this.#message.reduce((sum, part) => sum + part.length, 0) > LARGEST_MESSAGE) this.close();
    else if (isLast) this.#listener.message(Buffer.concat(this.#message.splice(0)));
  }
}

/** What stands for a length that follows, and in how many bytes. */
const LENGTH_BYTES: Readonly<Record<number, number>> = { 126: 2, 127: 8 };

function lengthIn(head: Buffer, size: number): number {
  if (size === 0) return (head[1] as number) & 127;
  return size === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
}

function headOf(code: number, length: number): Buffer {
  const isShort = length < 126;
  const head = Buffer.alloc(isShort ? 2 : 10);
  head[0] = 0x80 | code;
  head[1] = 0x80 | (isShort ? length : 127);
  if (!isShort) head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
