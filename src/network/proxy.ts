import type http from 'node:http';
import net from 'node:net';
import { Patience } from '../host/patience.ts';
import { beginning, endOfHead } from './beginning.ts';
import type { Gate } from './gate.ts';
import { SOCKS5, socks } from './socks.ts';
import type { ConnectionLimits } from './task.ts';
import { say, tunnel } from './tunnel.ts';

/** One port for HTTP CONNECT, HTTP in absolute form and SOCKS5: how a client begins tells. */
export function proxyServer(gate: Gate, limits: ConnectionLimits): net.Server {
  const asked = { gate, limits, web: undefined };
  const server = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy());
    void begin(client, asked).catch(() => client.destroy());
  });
  server.maxConnections = limits.connections;
  return server;
}

interface Asked {
  readonly gate: Gate;
  readonly limits: ConnectionLimits;
  /** Node's HTTP takes longer to load than all of the rest: most clients never need it. */
  web: Promise<http.Server> | undefined;
}

async function begin(client: net.Socket, asked: Asked): Promise<void> {
  const { gate, limits } = asked;
  const patience = new Patience(limits.handshakeMs, () => client.destroy());
  const begun = () => patience.end();
  client.once('close', begun);
  patience.begin();
  const first = await beginning(
    client,
    (bytes) => bytes[0] === SOCKS5 || endOfHead(bytes) !== -1 || bytes.length > limits.headBytes,
  );
  if (first.toString('latin1', 0, CONNECT.length) === CONNECT) {
    begun();
    return connect(client, first, gate);
  }
  client.unshift(first);
  if (first[0] === SOCKS5) return socks(client, gate, begun);
  begun();
  asked.web ??= import('./forward.ts').then(({ forwardingServer }) => forwardingServer(gate, limits));
  (await asked.web).emit('connection', client);
}

const CONNECT = 'CONNECT ';

/** Read by hand, and of the head only where it is to lead: the rest of it goes nowhere. */
function connect(client: net.Socket, first: Buffer, gate: Gate): void | Promise<void> {
  const end = endOfHead(first);
  if (end === -1) return say(client, '431 Request Header Fields Too Large', 'the head is too long');
  const [, target = ''] = /^CONNECT (\S+) HTTP\/1\.[01]\r\n/.exec(first.toString('latin1', 0, end)) ?? [];
  return tunnel(client, target, first.subarray(end), gate);
}
