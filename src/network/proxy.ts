import http from 'node:http';
import net from 'node:net';
import { Duplex } from 'node:stream';
import { endToEnd, pairsOf } from '../broker/sides.ts';
import type { Target } from './dial.ts';
import type { Gate } from './gate.ts';
import { isNamed } from './relay.ts';
import { Refusal } from './requests.ts';
import type { Limits } from './task.ts';

/** One port for HTTP CONNECT, HTTP in absolute form and SOCKS5: the first byte tells. */
export function proxyServer(gate: Gate, limits: Limits): net.Server {
  const web = httpProxy(gate, limits);
  const server = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy());
    client.setTimeout(limits.handshakeMs, () => client.destroy());
    client.once('readable', () => {
      const first = client.read() as Buffer | null;
      if (first === null) {
        client.destroy();
        return;
      }
      client.unshift(first);
      if (first[0] === SOCKS5) void socks(client, gate).catch(() => client.destroy());
      else {
        client.setTimeout(0);
        web.emit('connection', client);
      }
    });
  });
  server.maxConnections = limits.connections;
  return server;
}

/* ── HTTP ── */

function httpProxy(gate: Gate, limits: Limits): http.Server {
  const server = http.createServer({
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.handshakeMs,
    requestTimeout: 0,
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  server.on('connect', (request, client: net.Socket, head: Buffer) => void tunnel(request, client, head, gate));
  server.on('request', (request, response) => void forward(request, response, gate));
  server.on('clientError', (_error, client) => client.destroy());
  return server;
}

async function tunnel(request: http.IncomingMessage, client: net.Socket, head: Buffer, gate: Gate): Promise<void> {
  const split = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(request.url ?? '');
  client.on('error', () => client.destroy());
  const host = split?.[1] ?? split?.[2];
  if (split === null || host === undefined) return say(client, 400, 'CONNECT needs HOST:PORT');
  try {
    const target = await gate.admit(host, Number(split[3]), 'proxy');
    if (head.length > 0) client.unshift(head);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    await gate.join(client, target, 'proxy');
  } catch (error) {
    if (error instanceof Refusal && client.bytesWritten === 0) say(client, 403, error.message);
    else client.destroy();
  }
}

function say(client: net.Socket, status: number, text: string): void {
  const body = `cordon: ${text}\n`;
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  client.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A request in absolute form: read by Node's own parser, and written anew for the host that it names. */
async function forward(request: http.IncomingMessage, response: http.ServerResponse, gate: Gate): Promise<void> {
  const answer = (status: number, text: string) => {
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
    response.end(`cordon: ${text}\n`);
  };
  const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
  if (url?.protocol !== 'http:') return answer(400, 'this is a proxy: it takes CONNECT, and http:// in absolute form');
  if (url.username !== '') return answer(400, 'the address carries a log-in');
  const port = Number(url.port || 80);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const hosts = request.rawHeaders.filter((_, i, all) => i % 2 === 1 && all[i - 1]?.toLowerCase() === 'host');
  try {
    const target = await gate.admit(name, port, 'proxy');
    if (hosts.length > 1 || hosts.some((host) => !isNamed(host, url.hostname, port)))
      throw gate.refuse(target.name, port, 'proxy', `the Host '${hosts.join(', ')}' is not the one of the address`);
    const server = await onward(target, gate);
    pass(request, response, server, url);
  } catch (error) {
    answer(error instanceof Refusal ? 403 : 502, (error as Error).message);
  }
}

/** To the host itself, or to what stands in for it. */
async function onward(target: Target, gate: Gate): Promise<Duplex> {
  const interceptor = gate.interceptorFor(target);
  if (interceptor === undefined) {
    const server = await gate.dial(target, 'proxy');
    gate.watch(server, target, 'proxy');
    return server;
  }
  const [ours, theirs] = pair();
  interceptor.take(theirs, target, () => gate.dial(target, 'proxy'));
  return ours;
}

/** Two ends of a connection within this process. */
function pair(): [Duplex, Duplex] {
  const ends: Duplex[] = [];
  const end = (other: number) =>
    new Duplex({
      read: () => undefined,
      write(bytes, _encoding, done) {
        ends[other]?.push(bytes);
        done();
      },
      final(done) {
        ends[other]?.push(null);
        done();
      },
    });
  ends.push(end(1), end(0));
  return ends as [Duplex, Duplex];
}

function pass(request: http.IncomingMessage, response: http.ServerResponse, server: Duplex, url: URL): void {
  const kept = endToEnd(pairsOf(request.rawHeaders)).filter(([name]) => name.toLowerCase() !== 'host');
  // Node would send a body of a GET as it is, and the server would take it for the next request.
  const framing = request.headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
  const onward = http.request({
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    headers: ['Host', url.host, ...kept.flat(), ...framing, 'Connection', 'close'],
    setHost: false,
    createConnection: () => server as net.Socket,
  });
  const end = () => {
    response.destroy();
    server.destroy();
  };
  onward.on('response', (got) => {
    response.writeHead(got.statusCode ?? 502, endToEnd(pairsOf(got.rawHeaders)).flat());
    got.on('error', end).pipe(response);
  });
  onward.on('error', end);
  response.on('close', () => server.destroy());
  request.on('error', end).pipe(onward);
}

/* ── SOCKS5 ── */

const SOCKS5 = 5;
const NO_LOGIN = 0;
const CONNECT = 1;
const REPLY = { done: 0, failed: 1, refused: 2, unreachable: 4, unknownCommand: 7 } as const;

async function socks(client: net.Socket, gate: Gate): Promise<void> {
  const take = reader(client);
  const [, methods = 0] = await take(2);
  if (!(await take(methods)).includes(NO_LOGIN)) return void client.end(Buffer.from([SOCKS5, 0xff]));
  client.write(Buffer.from([SOCKS5, NO_LOGIN]));
  const [version, command, , kind] = await take(4);
  const host = await socksHost(kind, take);
  const port = (await take(2)).readUInt16BE(0);
  const reply = (code: number) => Buffer.from([SOCKS5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  if (version !== SOCKS5 || command !== CONNECT || host === undefined)
    return void client.end(reply(REPLY.unknownCommand));
  try {
    const target = await gate.admit(host, port, 'socks');
    client.setTimeout(0);
    client.write(reply(REPLY.done));
    await gate.join(client, target, 'socks');
  } catch (error) {
    client.end(reply(error instanceof Refusal ? REPLY.refused : REPLY.unreachable));
  }
}

async function socksHost(
  kind: number | undefined,
  take: (count: number) => Promise<Buffer>,
): Promise<string | undefined> {
  if (kind === 1) return [...(await take(4))].join('.');
  if (kind === 3) return (await take((await take(1))[0] ?? 0)).toString('latin1');
  if (kind !== 4) return undefined;
  const bytes = await take(16);
  return Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(':');
}

/** Exactly so many bytes; what comes after them stays in the stream. */
function reader(client: net.Socket): (count: number) => Promise<Buffer> {
  return (count) =>
    new Promise((resolve, reject) => {
      if (count === 0) return resolve(Buffer.alloc(0));
      const attempt = () => {
        const bytes = client.read(count) as Buffer | null;
        if (bytes?.length === count) {
          client.off('readable', attempt).off('close', gone);
          return resolve(bytes);
        }
        if (bytes !== null || client.readableEnded) gone();
      };
      const gone = () => reject(new Error('the client went away'));
      client.on('readable', attempt).once('close', gone);
      attempt();
    });
}
