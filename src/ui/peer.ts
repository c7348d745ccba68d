import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';

/**
 * Whose process is at the other end of a connection on this machine: the kernel lists every socket with its owner. Undefined where it can't
 * be told; the token decides alone then.
 */
export function userAtOtherEnd({ remoteAddress, remotePort, localPort }: Socket): number | undefined {
  if (remoteAddress !== '127.0.0.1' || remotePort === undefined || localPort === undefined) return undefined;
  const [theirs, ours] = [endpoint(remotePort), endpoint(localPort)];
  const line = socketLines().find((fields) => fields[1] === theirs && fields[2] === ours);
  const uid = Number(line?.[7]);
  return Number.isInteger(uid) ? uid : undefined;
}

/** As the kernel writes it: the address is a number in the machine's own order of bytes. */
const LOOPBACK = endianness() === 'LE' ? '0100007F' : '7F000001';

const endpoint = (port: number) => `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`;

function socketLines(): string[][] {
  try {
    return readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
  } catch {
    return [];
  }
}
