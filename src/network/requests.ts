/** Why what a client sends is not passed on. */
export class RefusedRequest extends Error {}

/** Blank lines before it are passed over by servers, and so is the case of its letters by some. */
const METHOD = /^[\r\n]*[A-Za-z][A-Za-z-]{1,19} /;
const FIRST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.([01])$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;

/** Whether these bytes begin a request of HTTP, however it is written; undefined as long as they might. */
export function looksLikeHttp(bytes: Buffer): boolean | undefined {
  const text = bytes.toString('latin1', 0, Math.min(bytes.length, 8192));
  if (!METHOD.test(text)) return /^[\r\n]*(?:[A-Za-z][A-Za-z-]{0,19})?$/.test(text) ? undefined : false;
  const line = text.replace(/^[\r\n]+/, '');
  if (line.startsWith('PRI * HTTP/2')) return false;
  const end = line.indexOf('\n');
  if (end !== -1) return / HTTP\/[0-9.]+\s*$/i.test(line.slice(0, end));
  return bytes.length < 8192 ? undefined : /^\S+ (?:\/|[a-z]+:\/\/)/i.test(line);
}

type State =
  | { readonly in: 'head' }
  | { readonly in: 'rest' }
  | { readonly in: 'body'; left: number }
  /** `line` is what the next line is: the size of a chunk, the end of its data, or the end of all. */
  | { readonly in: 'chunks'; left: number; line: 'size' | 'after' | 'end' };

/**
 * Reads along what a client sends in plain HTTP/1 and makes sure that every request is for the host that was dialled. It is strict
 * where servers differ in how they read, so that no second request hides from it in the body of a first.
 */
export class Requests {
  readonly #allows: (host: string) => boolean;
  readonly #mostHead: number;
  #head = Buffer.alloc(0);
  #state: State = { in: 'head' };

  constructor(allows: (host: string) => boolean, mostHead: number) {
    this.#allows = allows;
    this.#mostHead = mostHead;
  }

  /** A head was begun, or the line of a chunk, and has no end yet. */
  get isHolding(): boolean {
    return this.#head.length > 0;
  }

  /** What of it may be sent now; throws a Refusal where nothing more may be. */
  take(bytes: Buffer): Buffer {
    const sent: Buffer[] = [];
    for (let rest: Buffer | undefined = bytes; rest !== undefined && rest.length > 0; ) rest = this.#step(rest, sent);
    return sent.length === 1 ? (sent[0] as Buffer) : Buffer.concat(sent);
  }

  /** What is left to be looked at; undefined when more has to come first. */
  #step(bytes: Buffer, sent: Buffer[]): Buffer | undefined {
    const state = this.#state;
    if (state.in === 'rest') {
      sent.push(bytes);
      return undefined;
    }
    if (state.in !== 'head' && state.left > 0) {
      const part = bytes.subarray(0, state.left);
      state.left -= part.length;
      sent.push(part);
      if (state.in === 'body' && state.left === 0) this.#state = { in: 'head' };
      return bytes.subarray(part.length);
    }
    const whole = this.#gather(bytes, state.in === 'head' ? '\r\n\r\n' : '\r\n');
    if (whole === undefined) return undefined;
    sent.push(whole.part);
    if (state.in === 'head') this.#state = this.#readHead(whole.part.toString('latin1'));
    else this.#readChunkLine(whole.part.toString('latin1', 0, whole.part.length - 2));
    return whole.rest;
  }

  #gather(bytes: Buffer, end: string): { part: Buffer; rest: Buffer } | undefined {
    const all = Buffer.concat([this.#head, bytes]);
    const at = all.indexOf(end, 0, 'latin1');
    if (at === -1) {
      if (all.length > this.#mostHead) throw new RefusedRequest('the head of a request is too long');
      this.#head = all;
      return undefined;
    }
    this.#head = Buffer.alloc(0);
    return { part: all.subarray(0, at + end.length), rest: all.subarray(at + end.length) };
  }

  #readHead(text: string): State {
    const [first = '', ...lines] = text.slice(0, -4).split('\r\n');
    const [, method, target = ''] = FIRST_LINE.exec(first) ?? [];
    if (method === undefined) throw new RefusedRequest('this HTTP request could not be read');
    const fields = lines.map((line) => {
      const [, name, value = ''] = FIELD.exec(line) ?? [];
      if (name === undefined || /[\r\n\0]/.test(value)) throw new RefusedRequest('a header could not be read');
      return [name.toLowerCase(), value] as const;
    });
    const values = (name: string) => fields.filter(([one]) => one === name).map(([, value]) => value);
    this.#checkHost(values('host'), target);
    return bodyOf(method, values);
  }

  #checkHost(hosts: readonly string[], target: string): void {
    const [host, ...more] = hosts;
    if (host === undefined || more.length > 0) throw new RefusedRequest('a request has to name one Host');
    if (!this.#allows(host)) throw new RefusedRequest(`the Host '${host}' is not the host that was dialled`);
    if (target.startsWith('/') || target === '*') return;
    const url = URL.canParse(target) ? new URL(target) : undefined;
    if (url === undefined || !this.#allows(url.host))
      throw new RefusedRequest('a request for another host than was dialled');
  }

  /** Sizes in plain hexadecimal; extensions are refused, and so are trailers, which nobody sends. */
  #readChunkLine(line: string): void {
    if (this.#state.in !== 'chunks') return;
    const { line: meant } = this.#state;
    if (meant !== 'size') {
      if (line !== '') throw new RefusedRequest('a chunk is longer than it says, or has trailers');
      this.#state = meant === 'end' ? { in: 'head' } : { in: 'chunks', left: 0, line: 'size' };
      return;
    }
    if (!/^[0-9A-Fa-f]{1,8}$/.test(line)) throw new RefusedRequest('the size of a chunk could not be read');
    const left = Number.parseInt(line, 16);
    this.#state = { in: 'chunks', left, line: left === 0 ? 'end' : 'after' };
  }
}

function bodyOf(method: string, values: (name: string) => string[]): State {
  const [coding, ...moreCodings] = values('transfer-encoding');
  const [length, ...moreLengths] = values('content-length');
  if (moreCodings.length > 0 || moreLengths.length > 0 || (coding !== undefined && length !== undefined))
    throw new RefusedRequest('a request says twice how long it is');
  if (method === 'CONNECT') throw new RefusedRequest('a host that was dialled is not used as a proxy');
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked')
      throw new RefusedRequest('a request has a transfer coding that is not read here');
    return { in: 'chunks', left: 0, line: 'size' };
  }
  if (values('upgrade').length > 0) return { in: 'rest' };
  if (length === undefined) return { in: 'head' };
  if (!/^[0-9]{1,15}$/.test(length)) throw new RefusedRequest('the length of a request could not be read');
  return Number(length) === 0 ? { in: 'head' } : { in: 'body', left: Number(length) };
}
