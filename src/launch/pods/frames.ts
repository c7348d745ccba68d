/** What goes over an exec's standard input and output: native/src/relay.c has the other side. */
export const KIND = {
  owner: 'o',
  control: 'c',
  input: 'i',
  inputEnd: 'e',
  beat: 'h',
  output: '1',
  errors: '2',
  exit: 'x',
} as const;

const HEAD = 5;
const LARGEST = 64 << 10;

/** As many frames as it takes, in one piece. */
export function frames(kind: string, bytes: Uint8Array = new Uint8Array(0)): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += LARGEST) {
    const part = bytes.subarray(at, at + LARGEST);
    const head = Buffer.alloc(HEAD);
    head.write(kind, 'latin1');
    head.writeUInt32BE(part.length, 1);
    parts.push(head, Buffer.from(part.buffer, part.byteOffset, part.length));
  }
  return Buffer.concat(parts);
}

/** Takes what comes apart into frames. False: it is none. */
export class FrameReader {
  readonly #take: (kind: string, bytes: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(take: (kind: string, bytes: Buffer) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): boolean {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEAD) {
      const length = this.#rest.readUInt32BE(1);
      if (length > LARGEST) return false;
      if (this.#rest.length < HEAD + length) return true;
      const kind = this.#rest.toString('latin1', 0, 1);
      const bytes = this.#rest.subarray(HEAD, HEAD + length);
      this.#rest = this.#rest.subarray(HEAD + length);
      this.#take(kind, bytes);
    }
    return true;
  }
}
