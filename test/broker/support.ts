import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import { Broker, type BrokerOptions } from '../../src/broker/broker.ts';
import type { BrokerRecord, Held } from '../../src/broker/held.ts';
import { type BrokerHost, type BrokerPlace, parseBrokerHost, parseBrokerPlace } from '../../src/policy/broker.ts';

export const NAME = 'api.example.test';
/** Put together, so that nobody takes it for a key of someone. */
export const VALUE = ['ghp', 'Rq7xK2mW9vT4nZ8cL5jH1bY6dF3sA0gP2eU4'].join('_');
export const PLACEHOLDER = ['ghp', 'PlAcEhOlDeR0123456789abcdefghijklmno'].join('_');

export const hostOf = (text: string) => (parseBrokerHost(text) as { value: BrokerHost }).value;
const placeOf = (text: string) => (parseBrokerPlace(text) as { value: BrokerPlace }).value;

export function held(
  more: { hosts?: string[]; as?: string[]; methods?: string[]; paths?: string[] } & Partial<Omit<Held, 'rule'>> = {},
): Held {
  const { hosts = [NAME], as = ['authorization'], methods = [], paths = [], ...rest } = more;
  return {
    name: 'TOKEN',
    placeholder: PLACEHOLDER,
    value: VALUE,
    rule: { hosts: hosts.map(hostOf), places: as.map(placeOf), methods, paths },
    ...rest,
  };
}

/** A CA for servers of tests, which has nothing to do with that of a launch. */
export const SERVERS = newAuthority([hostOf('example.test'), hostOf('other.test')]);
const issuer = new Issuer(SERVERS);

export type Handler = (req: http.IncomingMessage, res: http.ServerResponse) => void;

export async function listening(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    (server as http.Server).closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

/** A server of HTTP/1.1 over TLS. */
export function serverOf(handler: Handler, name = NAME): Promise<number> & { readonly server: http.Server } {
  const server = http.createServer(handler);
  const secure = tls.createServer({ ...issuer.leafFor(name), ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.on('error', () => undefined);
    server.emit('connection', socket);
  });
  return Object.assign(listening(secure), { server });
}

export function http2ServerOf(
  onStream: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
  name = NAME,
): Promise<number> {
  const server = http2.createSecureServer({ ...issuer.leafFor(name) });
  server.on('stream', onStream);
  return listening(server as unknown as net.Server);
}

export interface Front {
  /** Where the command dials, as if it had dialled the name. */
  readonly port: number;
  readonly ca: string;
  readonly records: BrokerRecord[];
  readonly broker: Broker;
}

/** A broker between a port of the loopback, which stands for `dialled`, and a server. */
export async function frontOf(
  upstream: number | (() => Promise<net.Socket>),
  options: Partial<Omit<BrokerOptions, 'record'>> & { readonly dialled?: { name: string; port: number } } = {},
): Promise<Front> {
  const { held: holds = [held()], dialled = { name: NAME, port: 443 } } = options;
  const authority = newAuthority([hostOf('example.test'), hostOf('other.test'), hostOf(dialled.name)]);
  const records: BrokerRecord[] = [];
  const broker = new Broker({
    trust: [SERVERS.certificate],
    ...options,
    held: holds,
    authority,
    record: (entry) => records.push(entry),
  });
  const connect = typeof upstream === 'function' ? upstream : () => connected(upstream);
  const server = net.createServer((socket) => broker.take(socket, dialled, connect));
  const port = await listening(server);
  onTestFinished(() => broker.end());
  return { port, ca: authority.certificate, records, broker };
}

export function connected(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

export function secureTo({ port, ca }: Front, more: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', servername: NAME, ca, ...more }, () => resolve(socket));
    socket.once('error', reject);
    onTestFinished(() => {
      socket.destroy();
    });
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders | readonly string[];
  readonly body?: string | Buffer | readonly (string | Buffer)[];
  readonly trailers?: Record<string, string>;
}

/** One request over a connection of its own. */
export async function ask(
  front: Front,
  { method = 'GET', path = '/', headers = {}, body, trailers }: Ask = {},
): Promise<Answer> {
  const socket = await secureTo(front);
  return new Promise((resolve, reject) => {
    const length =
      body === undefined || Array.isArray(body) || trailers !== undefined
        ? {}
        : { 'content-length': Buffer.byteLength(body as string) };
    const all = Array.isArray(headers) ? (headers as string[]) : { host: NAME, ...length, ...headers };
    const request = http.request({ createConnection: () => socket, method, path, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          trailers: response.trailers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.once('error', reject);
    for (const part of [body ?? []].flat()) request.write(part);
    if (trailers !== undefined) request.addTrailers(trailers);
    request.end();
  });
}

export const bearer = { authorization: `Bearer ${PLACEHOLDER}` };
export const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;
