import { Transform } from 'node:stream';
import { type Needles, Scanner } from './scan.ts';

export interface FrameRules {
  /** What a message of this side is looked through for. */
  readonly needles: Needles;
  /** From the client: its frames are masked with a key of their own, which is taken off to look and put on again. */
  readonly masked: boolean;
  readonly onData: (bytes: number) => void;
  readonly onFound: (label: number) => 'mask' | 'stop';
}

const CONTROL = 8;
const LONGEST_HEAD = 14;

/** The frames of one side of a WebSocket (RFC 6455), each message looked through as one text however it is split. */
export function frameStream(rules: FrameRules): Transform {
  const frames = new Frames(rules);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rules.onData(chunk.length);
      try {
        for (const piece of frames.push(chunk)) this.push(piece);
        done(frames.stopped ? new Error('a message of the WebSocket was refused') : undefined);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

class Frames {
  readonly #rules: FrameRules;
  #scanner: Scanner;
  #head: Buffer = Buffer.alloc(0);
  /** What is still to come of the frame at hand. */
  #left = 0;
  #isControl = false;
  #isLast = true;
  #control: Buffer = Buffer.alloc(0);
  #key: Buffer | undefined;
  #keyAt = 0;
  stopped = false;

  constructor(rules: FrameRules) {
    this.#rules = rules;
    this.#scanner = this.#newScanner();
  }

  #newScanner(): Scanner {
    return new Scanner(this.#rules.needles, (label) => {
      const verdict = this.#rules.onFound(label);
      if (verdict === 'stop') this.stopped = true;
      return verdict;
    });
  }

  push(chunk: Buffer): Buffer[] {
    const out: Buffer[] = [];
    let rest = chunk;
    while (rest.length > 0 && !this.stopped) {
      if (this.#left === 0) rest = this.#takeHead(rest, out);
      else {
        const payload = Buffer.from(rest.subarray(0, this.#left));
        rest = rest.subarray(payload.length);
        this.#left -= payload.length;
        out.push(...this.#payload(payload));
        if (this.#left === 0) out.push(...this.#frameEnd());
      }
    }
    return out;
  }

  /** The key is taken off for the upstream side too: a key of zeros is as good as any between us and a server over TLS. */
  #payload(payload: Buffer): Buffer[] {
    if (this.#key !== undefined)
      for (let i = 0; i < payload.length; i++)
        payload[i] = (payload[i] as number) ^ (this.#key[this.#keyAt++ & 3] as number);
    return this.#isControl ? this.#controlPayload(payload) : this.#scanner.push(payload);
  }

  /** At most 125 bytes, and a text of its own, which may come in the middle of a message. */
  #controlPayload(payload: Buffer): Buffer[] {
    this.#control = Buffer.concat([this.#control, payload]);
    if (this.#left > 0) return [];
    const whole = this.#newScanner();
    const looked = Buffer.concat([...whole.push(this.#control), ...whole.end()]);
    this.#control = Buffer.alloc(0);
    return this.stopped ? [] : this.#scanner.pass(looked);
  }

  #frameEnd(): Buffer[] {
    if (this.#isControl || !this.#isLast) return [];
    const out = this.#scanner.end();
    this.#scanner = this.#newScanner();
    return out;
  }

  /** Returns what is left of the chunk once the head is whole. */
  #takeHead(chunk: Buffer, out: Buffer[]): Buffer {
    const before = this.#head.length;
    const head = Buffer.concat([this.#head, chunk.subarray(0, LONGEST_HEAD - before)]);
    const size = headSize(head);
    if (size === undefined || head.length < size) {
      this.#head = head;
      return chunk.subarray(head.length - before);
    }
    this.#head = Buffer.alloc(0);
    this.#begin(head.subarray(0, size));
    const written = Buffer.from(head.subarray(0, size));
    if (this.#key !== undefined) written.fill(0, size - 4);
    out.push(...this.#scanner.pass(written));
    if (this.#left === 0) out.push(...this.#frameEnd());
    return chunk.subarray(size - before);
  }

  #begin(head: Buffer): void {
    const [first, second] = [head[0] as number, head[1] as number];
    const code = first & 15;
    this.#isControl = code >= CONTROL;
    if ((first & 0x70) !== 0) throw new Error('a frame of the WebSocket uses an extension that nobody agreed on');
    if (((second & 0x80) !== 0) !== this.#rules.masked) throw new Error('a frame of the WebSocket has the wrong mask');
    if (this.#isControl) this.#controlSize(second & 127);
    else this.#isLast = (first & 0x80) !== 0;
    const short = second & 127;
    if (short < 126) this.#left = short;
    else this.#left = short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    this.#key = this.#rules.masked ? Buffer.from(head.subarray(head.length - 4)) : undefined;
    this.#keyAt = 0;
  }

  #controlSize(size: number): void {
    if (size > 125) throw new Error('a control frame of the WebSocket is too long');
  }
}

function headSize(head: Buffer): number | undefined {
  if (head.length < 2) return undefined;
  const short = (head[1] as number) & 127;
  const long = { 126: 2, 127: 8 }[short] ?? 0;
  return 2 + long + (((head[1] as number) & 0x80) === 0 ? 0 : 4);
}
