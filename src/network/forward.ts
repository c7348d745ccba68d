import http from 'node:http';
import type net from 'node:net';
import { Duplex } from 'node:stream';
import { endToEnd, pairsOf } from '../broker/sides.ts';
import { cutOffSlowHeads } from '../host/patience.ts';
import type { DialTarget } from './dial.ts';
import type { Gate } from './gate.ts';
import { isNamed } from './relay.ts';
import { RefusedRequest } from './requests.ts';
import type { ConnectionLimits } from './task.ts';
import { tunnel } from './tunnel.ts';

/** Takes connections that others accepted, whose first request is not CONNECT. */
export function forwardingServer(gate: Gate, limits: ConnectionLimits): http.Server {
  const server = http.createServer({
    maxHeaderSize: limits.headBytes,
    requestTimeout: 0,
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  cutOffSlowHeads(server, limits.handshakeMs);
  server.on('request', (request, response) => void forward(request, response, gate));
  server.on('connect', (request, client: net.Socket, rest: Buffer) => {
    void tunnel(client, request.url ?? '', rest, gate);
  });
  server.on('clientError', (_error, client) => client.destroy());
  return server;
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
    answer(error instanceof RefusedRequest ? 403 : 502, (error as Error).message);
  }
}

/** To the host itself, or to what stands in for it. */
async function onward(target: DialTarget, gate: Gate): Promise<Duplex> {
  const interceptor = gate.interceptorFor(target);
  if (interceptor === undefined) {
    const server = await gate.dial(target, 'proxy');
    gate.watch(server, target, 'proxy');
    return server;
  }
  const [ours, theirs] = pair();
  void interceptor.take(theirs, target, () => gate.dial(target, 'proxy'));
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
      destroy(error, done) {
        ends[other]?.destroy();
        done(error);
      },
    });
  ends.push(end(1), end(0));
  return ends as [Duplex, Duplex];
}

function pass(request: http.IncomingMessage, response: http.ServerResponse, server: Duplex, url: URL): void {
  const kept = endToEnd(pairsOf(request.rawHeaders)).filter(
    ([name]) => !['host', 'content-length'].includes(name.toLowerCase()),
  );
  // Whatever Connection says of it: Node would send a body of a GET as it is, and the server would take it for the next request.
  const { 'transfer-encoding': coding, 'content-length': length } = request.headers;
  const sized = length === undefined ? [] : ['Content-Length', length];
  const framing = coding === undefined ? sized : ['Transfer-Encoding', 'chunked'];
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
