/** The name a TLS client asks for, from what it says first. */
export type Hello =
  | { readonly kind: 'more' }
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'hello'; readonly name: string | undefined };

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const LARGEST = 65_536;
const LARGEST_RECORD = 16_640;

export const looksLikeTls = (bytes: Buffer) => bytes[0] === HANDSHAKE && (bytes.length < 2 || bytes[1] === 3);

/** Records are put together first: a hello may be spread over several, which is how others are led past such readers. */
export function readHello(bytes: Buffer): Hello {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const found = readMessage(Buffer.concat(parts));
    if (found.kind !== 'more' || at + 5 > bytes.length) return found;
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== HANDSHAKE || bytes[at + 1] !== 3 || length === 0 || length > LARGEST_RECORD)
      return { kind: 'bad', why: 'this is not TLS' };
    if (at + 5 + length > bytes.length) return { kind: 'more' };
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
}

function readMessage(message: Buffer): Hello {
  if (message.length < 4) return { kind: 'more' };
  const length = message.readUIntBE(1, 3);
  if (message[0] !== CLIENT_HELLO) return { kind: 'bad', why: 'the first TLS message is not a ClientHello' };
  if (length > LARGEST) return { kind: 'bad', why: 'the ClientHello is too long' };
  return message.length < 4 + length ? { kind: 'more' } : readBody(message.subarray(4, 4 + length));
}

function readBody(body: Buffer): Hello {
  try {
    const reader = new Reader(body);
    reader.skip(2 + 32);
    reader.skip(reader.number(1));
    reader.skip(reader.number(2));
    reader.skip(reader.number(1));
    if (reader.left === 0) return { kind: 'hello', name: undefined };
    return serverName(new Reader(reader.take(reader.number(2))));
  } catch {
    return { kind: 'bad', why: 'the ClientHello is damaged' };
  }
}

/** One extension of that kind with one name in it, or none. */
function serverName(extensions: Reader): Hello {
  let name: string | undefined;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const content = new Reader(extensions.take(extensions.number(2)));
    if (type !== 0) continue;
    const list = new Reader(content.take(content.number(2)));
    if (name !== undefined || list.number(1) !== 0)
      return { kind: 'bad', why: 'the ClientHello names several servers' };
    name = list.take(list.number(2)).toString('latin1').toLowerCase().replace(/\.$/, '');
    if (list.left > 0) return { kind: 'bad', why: 'the ClientHello names several servers' };
  }
  return { kind: 'hello', name };
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(bytes: 1 | 2): number {
    return this.take(bytes).readUIntBE(0, bytes);
  }

  skip(count: number): void {
    this.take(count);
  }

  take(count: number): Buffer {
    if (count > this.left) throw new RangeError('the end of the message');
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }
}
