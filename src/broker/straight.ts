import type http from 'node:http';
import net, { type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { collectAfter } from '../host/collect.ts';
import type { Failing, Look } from './flow.ts';

/*
 * A long body whose length was announced is read from its connection itself, once Node's parser has read the head. TLS hands out records of
 * 16 KiB. By way of the parser each is copied twice, in buffers and objects of its own, which takes a fifth of the time; here records land
 * one behind the other in a buffer that is looked through, written and used again. For that, Node has `onread` of a socket, but takes it
 * only for connections that it makes by itself: it is set the same way here. Where a version of Node has it no more, bodies go the usual way.
 */

/** A shorter one is over sooner than a new connection is made: one that was read like this is not used again. */
const LONG = 1 << 25;
/** Each has two buffers for itself. */
const MOST_AT_ONCE = 16;
/** Before nothing more is read. What Node has read already still arrives: 64 KiB and a record. */
const ENOUGH = 112 << 10;
const BUFFER = ENOUGH + (80 << 10);
const LONGEST_RECORD = 1 << 14;

const known = Object.getOwnPropertySymbols(new net.Socket());
const [BUFFER_OF, CALLBACK_OF, NEXT_OF] = ['kBuffer', 'kBufferCb', 'kBufferGen'].map((name) =>
  known.find(({ description }) => description === name),
);

/** The connection of a message, for who takes all that follows on it. */
export interface Straight {
  readonly message: http.IncomingMessage;
  readonly length: number;
}

let underWay = 0;

export function straightOf(message: http.IncomingMessage): Straight | undefined {
  const { socket, headers } = message;
  const length = Number(headers['content-length'] ?? 0);
  if (!(length >= LONG) || 'transfer-encoding' in headers || underWay >= MOST_AT_ONCE) return undefined;
  return canLand(socket) ? { message, length } : undefined;
}

type Handle = { readonly useUserBuffer?: (buffer: Buffer) => void } | null;
const handleOf = (socket: Socket) => (socket as unknown as { readonly _handle: Handle })._handle;

const canLand = (socket: Socket) =>
  socket instanceof TLSSocket &&
  handleOf(socket)?.useUserBuffer !== undefined &&
  [BUFFER_OF, CALLBACK_OF, NEXT_OF].every((symbol) => symbol !== undefined && symbol in socket);

/** Node's `onread`: each time something has landed in the last buffer, `landed` is told how much, and `next` says where more may. */
function landIn(socket: Socket, next: () => Buffer, landed: (bytes: number, buffer: Buffer) => boolean): void {
  const first = next();
  Object.assign(socket, {
    [BUFFER_OF as symbol]: first,
    [CALLBACK_OF as symbol]: landed,
    [NEXT_OF as symbol]: next,
  });
  handleOf(socket)?.useUserBuffer?.(first);
}

/** What the parser has of the body already; from now on it gets nothing more. */
function takenFrom(message: http.IncomingMessage): Buffer {
  const { socket } = message;
  socket.emit('agentRemove');
  message.on('error', () => undefined); // It never ends.
  socket.on('data', () => undefined); // Of a server's connection Node lets go only when someone else listens.
  socket.removeAllListeners('data');
  const parts = [message.read(), socket.read()] as (Buffer | null)[];
  return Buffer.concat(parts.filter((part) => part !== null));
}

/** As `carry` (flow.ts). Afterwards the connection has nothing more to say. */
export async function carryStraight(straight: Straight, look: Look, to: Writable, failing: Failing): Promise<void> {
  underWay++;
  try {
    await new Promise<void>((resolve, reject) => {
      new Carrying(straight, look, to, failing, resolve, reject).begin();
    });
  } finally {
    underWay--;
  }
}

class Carrying {
  readonly #straight: Straight;
  readonly #look: Look;
  readonly #to: Writable;
  readonly #failing: Failing;
  readonly #arrived: () => void;
  readonly #failed: (error: Error) => void;
  readonly #free: Buffer[] = [];
  /** What has landed and waits: the beginning of this. */
  #into: Buffer;
  #filled: number;
  /** Where the next record lands. */
  #landing: Buffer;
  #left: number;
  /** So much the look keeps back. */
  #held = 0;
  #writing = 0;
  #isOver = false;

  constructor(
    straight: Straight,
    look: Look,
    to: Writable,
    failing: Failing,
    arrived: () => void,
    failed: (error: Error) => void,
  ) {
    [this.#straight, this.#look, this.#to, this.#failing] = [straight, look, to, failing];
    [this.#arrived, this.#failed] = [arrived, failed];
    this.#left = straight.length;
    const first = takenFrom(straight.message);
    this.#into = first.length < BUFFER ? this.#newBuffer() : first;
    this.#filled = first.length < BUFFER ? first.copy(this.#into) : first.length;
    this.#landing = this.#into;
  }

  begin(): void {
    const { socket } = this.#straight.message;
    socket.on('error', this.#stop).on('end', this.#closed).on('close', this.#closed);
    this.#to.on('error', this.#stop).on('close', this.#closed);
    if (socket.destroyed || this.#to.destroyed) {
      this.#closed();
      return;
    }
    landIn(
      socket,
      () => this.#next(),
      (bytes, buffer) => this.#landed(bytes, buffer),
    );
    this.#send();
    if (!this.#isOver) socket.resume();
  }

  #newBuffer(): Buffer {
    const again = this.#free.pop();
    if (again === undefined) collectAfter(BUFFER);
    return again ?? Buffer.allocUnsafeSlow(BUFFER);
  }

  /** There is always room for one record: Node would try for ever to find it. */
  #next(): Buffer {
    if (this.#into.length - this.#filled < LONGEST_RECORD)
      this.#into = Buffer.concat([this.#into.subarray(0, this.#filled)], this.#into.length + BUFFER);
    this.#landing = this.#into;
    return this.#into.subarray(this.#filled);
  }

  /** False: nothing more for now. What comes after the end is read, so that it is seen when the other side goes, and left. */
  #landed(bytes: number, buffer: Buffer): boolean {
    if (this.#isOver) return true;
    if (this.#landing !== this.#into) buffer.copy(this.#into, this.#filled, 0, bytes);
    this.#filled += bytes;
    if (this.#writing === 0) this.#send();
    return this.#isOver || this.#filled < ENOUGH;
  }

  #send(): void {
    const data = this.#into.subarray(0, Math.min(this.#filled, this.#left));
    if (data.length === 0) return;
    const written = this.#writtenFrom(this.#into);
    this.#into = this.#newBuffer();
    this.#filled = 0;
    this.#left -= data.length;
    this.#held += data.length;
    try {
      this.#write(this.#look.push(data), written);
      if (this.#left === 0) this.#write(this.#look.end(), written);
    } catch (error) {
      this.#stop(error as Error);
    }
    if (this.#left > 0 || this.#isOver) return;
    this.#end();
    this.#arrived();
  }

  #write(pieces: readonly Buffer[], written: (error?: Error | null) => void): void {
    for (const piece of pieces) {
      this.#writing++;
      this.#held -= piece.length;
      this.#to.write(piece, written);
    }
  }

  #writtenFrom(buffer: Buffer): (error?: Error | null) => void {
    return (error) => {
      this.#writing--;
      if (error) this.#stop(error);
      if (this.#isOver || this.#writing > 0) return;
      // What is kept back may lie in it.
      if (this.#held === 0 && buffer.length === BUFFER) this.#free.push(buffer);
      this.#send();
      if (!this.#isOver) this.#straight.message.socket.resume();
    };
  }

  readonly #closed = () => {
    const { ofSender, ofReceiver } = this.#failing;
    if (!this.#isOver) this.#stop(this.#to.destroyed ? ofReceiver() : ofSender());
  };

  readonly #stop = (error: Error) => {
    if (this.#isOver) return;
    this.#end();
    this.#failing.act(this.#straight.message, this.#to, error);
    this.#failed(error);
  };

  #end(): void {
    this.#isOver = true;
    const { socket } = this.#straight.message;
    socket.off('error', this.#stop).off('end', this.#closed).off('close', this.#closed);
    this.#to.off('error', this.#stop).off('close', this.#closed);
  }
}
