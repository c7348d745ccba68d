import type http from 'node:http';
import net from 'node:net';
import { Patience } from '../host/patience.ts';
import { beginning, endOfHead } from './beginning.ts';
import type { Gate } from './gate.ts';
import { RefusedRequest } from './requests.ts';
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

/** The first byte that such a client says. */
const SOCKS5 = 5;
const NO_LOGIN = 0;
const SOCKS_CONNECT = 1;
const REPLY = { done: 0, failed: 1, refused: 2, unreachable: 4, unknownCommand: 7 } as const;

/** `begun` is told once it is known where the client wants to go. */
async function socks(client: net.Socket, gate: Gate, begun: () => void): Promise<void> {
  const take = reader(client);
  const [, methods = 0] = await take(2);
  if (!(await take(methods)).includes(NO_LOGIN)) return void client.end(Buffer.from([SOCKS5, 0xff]));
  client.write(Buffer.from([SOCKS5, NO_LOGIN]));
  const [version, command, , kind] = await take(4);
  const host = await socksHost(kind, take);
  const port = (await take(2)).readUInt16BE(0);
  const reply = (code: number) => Buffer.from([SOCKS5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  if (version !== SOCKS5 || command !== SOCKS_CONNECT || host === undefined)
    return void client.end(reply(REPLY.unknownCommand));
  try {
    const target = await gate.admit(host, port, 'socks');
    begun();
    client.write(reply(REPLY.done));
    await gate.join(client, target, 'socks');
  } catch (error) {
    client.end(reply(error instanceof RefusedRequest ? REPLY.refused : REPLY.unreachable));
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
