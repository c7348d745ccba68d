import type net from 'node:net';
import { Transform } from 'node:stream';
import { looksLikeTls, readHello } from './hello.ts';
import { looksLikeHttp, Refusal, Requests } from './requests.ts';

export interface Check {
  /** The name that was dialled; undefined for an address, which names nobody. */
  readonly name: string | undefined;
  readonly port: number;
  readonly headBytes: number;
}

const TLS_PORT = 443;
const HTTP_PORT = 80;

/**
 * Passes on what a client sends once its beginning has been looked at: the name in a TLS hello, and the Host of every request in plain
 * HTTP, must be the name that was dialled. Anything else goes through as it is.
 */
export function checked({ name, port, headBytes }: Check): Transform {
  let held = Buffer.alloc(0);
  let pass: Pass | undefined;
  const settle = (end: boolean): Buffer | undefined => {
    pass = decided(held, { name, port, headBytes }, end);
    if (pass === undefined && held.length > 2 * headBytes) throw new Refusal('its beginning is too long');
    return pass === undefined ? undefined : pass(held);
  };
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      attempt(done, () => {
        if (pass !== undefined) return pass(bytes);
        held = Buffer.concat([held, bytes]);
        return settle(false);
      });
    },
    flush(done) {
      attempt(done, () => (pass === undefined && held.length > 0 ? settle(true) : undefined));
    },
  });
}

function attempt(done: (error: Error | null, bytes?: Buffer) => void, what: () => Buffer | undefined): void {
  try {
    const bytes = what();
    done(null, bytes?.length === 0 ? undefined : bytes);
  } catch (error) {
    done(error as Error);
  }
}

type Pass = (bytes: Buffer) => Buffer;
const asItIs: Pass = (bytes) => bytes;

/** How the rest is passed on; undefined as long as it can't be told. */
function decided(bytes: Buffer, check: Check, end: boolean): Pass | undefined {
  const { name, port, headBytes } = check;
  if (name === undefined) return asItIs;
  if (looksLikeTls(bytes)) return decidedByHello(bytes, name, port, end);
  if (port === TLS_PORT) throw new Refusal('this is not TLS');
  const isHttp = looksLikeHttp(bytes);
  if (isHttp === undefined && !end) return undefined;
  if (isHttp !== true && port === HTTP_PORT && bytes.length > 0) throw new Refusal('this is no request of HTTP');
  if (isHttp !== true) return asItIs;
  const requests = new Requests((host) => isNamed(host, name, port), headBytes);
  return (more) => requests.take(more);
}

function decidedByHello(bytes: Buffer, name: string, port: number, end: boolean): Pass | undefined {
  const hello = readHello(bytes);
  if (hello.kind === 'bad') throw new Refusal(hello.why);
  if (hello.kind === 'more') {
    if (end) throw new Refusal('the ClientHello is not whole');
    return undefined;
  }
  if (hello.name === undefined && port === TLS_PORT) throw new Refusal('the ClientHello names no server');
  if (hello.name !== undefined && hello.name !== name)
    throw new Refusal(`the ClientHello names '${hello.name}', which is not the host that was dialled`);
  return asItIs;
}

export function isNamed(host: string, name: string, port: number): boolean {
  const [, bare = '', said] = /^(.*?)(?::([0-9]+))?$/s.exec(host.toLowerCase()) ?? [];
  return bare.replace(/\.$/, '') === name && (said === undefined || Number(said) === port);
}

export interface Ended {
  readonly sent: number;
  readonly received: number;
  readonly refused?: string | undefined;
}

/** Both ways with backpressure; each way may end by itself. Resolves when both are over. */
export function relay(client: net.Socket, server: net.Socket, check: Check, idleMs: number): Promise<Ended> {
  return new Promise((resolve) => {
    const filter = checked(check);
    let refused: string | undefined;
    let open = 2;
    const end = (error?: Error) => {
      if (error instanceof Refusal) refused ??= error.message;
      client.destroy();
      server.destroy();
    };
    const closed = () => {
      if (--open === 0) resolve({ sent: server.bytesWritten, received: server.bytesRead, refused });
    };
    for (const socket of [client, server]) {
      socket.setTimeout(idleMs, () => end());
      socket.setKeepAlive(true, 60_000);
      socket.once('close', (hadError) => {
        closed();
        // What the other side has been sent is still flushed; there is nobody left to read from.
        if (hadError) end();
      });
      socket.on('error', () => end());
    }
    filter.on('error', end);
    client.pipe(filter).pipe(server);
    server.pipe(client);
  });
}
