import type net from 'node:net';
import type { Gate } from './gate.ts';
import { RefusedRequest } from './requests.ts';

/** The first byte that such a client says. */
export const SOCKS5 = 5;
const NO_LOGIN = 0;
const CONNECT = 1;
const REPLY = { done: 0, failed: 1, refused: 2, unreachable: 4, unknownCommand: 7 } as const;

/** `begun` is told once it is known where the client wants to go. */
export async function socks(client: net.Socket, gate: Gate, begun: () => void): Promise<void> {
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
