import type net from 'node:net';
import type { Gate } from './gate.ts';
import { RefusedRequest } from './requests.ts';

const TARGET = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/;

/** CONNECT: what follows its head is the host's. */
export async function tunnel(client: net.Socket, target: string, rest: Buffer, gate: Gate): Promise<void> {
  const [, address, name, port] = TARGET.exec(target) ?? [];
  const host = address ?? name;
  if (host === undefined) return say(client, '400 Bad Request', 'CONNECT needs HOST:PORT');
  if (rest.length > 0) client.unshift(rest);
  const before = client.bytesWritten;
  try {
    const admitted = await gate.admit(host, Number(port), 'proxy');
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    await gate.join(client, admitted, 'proxy');
  } catch (error) {
    if (error instanceof RefusedRequest && client.bytesWritten === before) say(client, '403 Forbidden', error.message);
    else client.destroy();
  }
}

export function say(client: net.Socket, status: string, text: string): void {
  const body = `cordon: ${text}\n`;
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  client.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
