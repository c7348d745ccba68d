import type net from 'node:net';
import { type Readable, Transform, type Writable } from 'node:stream';
import { Patience } from '../host/patience.ts';
import { looksLikeTls, readHello } from './hello.ts';
import { looksLikeHttp, RefusedRequest, Requests } from './requests.ts';

export interface Check {
  /** The name that was dialled; undefined for an address, which names nobody. */
  readonly name: string | undefined;
  readonly port: number;
  readonly headBytes: number;
  /** How long a hello, or the head of a request, may take from its first byte to its last. */
  readonly beginMs: number;
}

const TLS_PORT = 443;
const HTTP_PORT = 80;

/**
 * Passes on what a client sends once its beginning has been looked at: the name in a TLS hello, and the Host of every request in plain
 * HTTP, must be the name that was dialled. Anything else goes through as it is.
 */
export function passOn(client: Readable, server: Writable, check: Check, fail: (error: Error) => void): void {
  let held: Buffer = Buffer.alloc(0);
  const patience = new Patience(check.beginMs, () => fail(new RefusedRequest('what it began to say had no end')));
  const goOn = (pass: Pass) => {
    client.off('data', take).off('end', last);
    patience.end();
    const to = pass === AS_IT_IS ? server : filterOf(pass, patience).on('error', fail);
    if (to !== server) (to as Transform).pipe(server);
    if (held.length > 0) to.write(held);
    client.pipe(to);
  };
  const look = (isEnd: boolean) => {
    try {
      const pass = decided(held, check, isEnd);
      if (pass !== undefined) return goOn(pass);
      if (held.length > 2 * check.headBytes) throw new RefusedRequest('its beginning is too long');
      patience.begin();
    } catch (error) {
      client.off('data', take).off('end', last);
      fail(error as Error);
    }
  };
  const take = (bytes: Buffer) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    look(false);
  };
  const last = () => (held.length === 0 ? goOn(AS_IT_IS) : look(true));
  client.once('close', () => patience.end());
  if (check.name === undefined) goOn(AS_IT_IS);
  else client.on('data', take).on('end', last).resume();
}

const AS_IT_IS = Symbol('as it is');
type Pass = typeof AS_IT_IS | Requests;

function filterOf(requests: Requests, patience: Patience): Transform {
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      try {
        const sent = requests.take(bytes);
        if (requests.isHolding) patience.begin();
        else patience.end();
        done(null, sent.length === 0 ? undefined : sent);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/** How the rest is passed on; undefined as long as it can't be told. */
function decided(bytes: Buffer, { name, port, headBytes }: Check, end: boolean): Pass | undefined {
  if (name === undefined) return AS_IT_IS;
  if (looksLikeTls(bytes)) return decidedByHello(bytes, name, port, end);
  if (port === TLS_PORT) throw new RefusedRequest('this is not TLS');
  const isHttp = looksLikeHttp(bytes);
  if (isHttp === undefined && !end) return undefined;
  if (isHttp !== true && port === HTTP_PORT) throw new RefusedRequest('this is no request of HTTP');
  return isHttp === true ? new Requests((host) => isNamed(host, name, port), headBytes) : AS_IT_IS;
}

function decidedByHello(bytes: Buffer, name: string, port: number, end: boolean): Pass | undefined {
  const hello = readHello(bytes);
  if (hello.kind === 'bad') throw new RefusedRequest(hello.why);
  if (hello.kind === 'more') {
    if (end) throw new RefusedRequest('the ClientHello is not whole');
    return undefined;
  }
  if (hello.name === undefined && port === TLS_PORT) throw new RefusedRequest('the ClientHello names no server');
  if (hello.name !== undefined && hello.name !== name)
    throw new RefusedRequest(`the ClientHello names '${hello.name}', which is not the host that was dialled`);
  return AS_IT_IS;
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
    let refused: string | undefined;
    let open = 2;
    const end = (error?: Error) => {
      if (error instanceof RefusedRequest) refused ??= error.message;
      client.destroy();
      server.destroy();
    };
    const closed = () => {
      if (--open === 0) resolve({ sent: server.bytesWritten, received: server.bytesRead, refused });
    };
    for (const socket of [client, server]) {
      socket.setTimeout(idleMs, () => end());
      socket.once('close', (hadError) => {
        closed();
        // What the other side has been sent is still flushed; there is nobody left to read from.
        if (hadError) end();
      });
      socket.on('error', () => end());
    }
    server.setKeepAlive(true, 60_000);
    passOn(client, server, check, end);
    server.pipe(client);
  });
}
