import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { endianness } from 'node:os';

/**
 * Whose process is at the other end of a connection on this machine: the kernel lists every socket with its owner. 'unknown' where the list
 * has none such; undefined where there is no list, and the token decides alone then.
 */
export function userAtOtherEnd(socket: Socket): number | 'unknown' | undefined {
  const lines = socketLines();
  if (lines === undefined) return undefined;
  const theirs = endpoint(socket.remoteAddress, socket.remotePort);
  const ours = endpoint(socket.localAddress, socket.localPort);
  if (theirs === undefined || ours === undefined) return 'unknown';
  const fields = lines.find((one) => one[1] === theirs && one[2] === ours);
  /* What was closed meanwhile is nobody's, and listed as root's. */
  return fields === undefined || fields[9] === '0' ? 'unknown' : Number(fields[7]);
}

/** As the kernel writes it: the address is a number in the machine's own order of bytes. All of 127.0.0.0/8 is this machine. */
function endpoint(address = '', port = 0): string | undefined {
  if (isIP(address) !== 4) return undefined;
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2));
  return `${(endianness() === 'LE' ? bytes.reverse() : bytes).join('')}:${hex(port, 4)}`;
}

const hex = (number: number, digits: number) => number.toString(16).toUpperCase().padStart(digits, '0');

/** A socket for IPv6 that speaks IPv4 is in the other list. */
function socketLines(): string[][] | undefined {
  const own = linesIn('/proc/net/tcp');
  return own === undefined ? undefined : [...own, ...(linesIn('/proc/net/tcp6') ?? [])];
}

const MAPPED = endianness() === 'LE' ? ' 0000000000000000FFFF0000' : ' 00000000000000000000FFFF';

function linesIn(file: string): string[][] | undefined {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.replaceAll(MAPPED, ' ').trim().split(/\s+/));
  } catch {
    return undefined;
  }
}
