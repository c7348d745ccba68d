import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { endianness } from 'node:os';

/** Why a request is not answered; what is said about it tells nothing else. */
interface AccessRefusal {
  readonly status: 401 | 403;
  readonly message: string;
}

const MOST_LINKS = 8;

/**
 * Who may see the page's data. A link is good for one page: the page gives its token for one of its own, which it keeps in memory and sends as
 * a header. A cookie would be sent to every other server on 127.0.0.1, and a token in an address stays in the browser's history.
 */
export class Access {
  #links: Buffer[] = [];
  readonly #pages: Buffer[] = [];

  /** For the fragment of a new link, which browsers send to nobody. */
  newLink(): string {
    const token = newToken();
    this.#links = [...this.#links, digestOf(token)].slice(-MOST_LINKS);
    return token;
  }

  /** The token of the page that came by this link, once. */
  enter(request: IncomingMessage): string | undefined {
    const at = indexIn(this.#links, tokenOf(request));
    if (at === -1) return undefined;
    this.#links = this.#links.toSpliced(at, 1);
    const page = newToken();
    this.#pages.push(digestOf(page));
    return page;
  }

  knows(request: IncomingMessage): boolean {
    return indexIn(this.#pages, tokenOf(request)) !== -1;
  }
}

const newToken = () => randomBytes(32).toString('base64url');
const digestOf = (token: string) => createHash('sha256').update(token).digest();
const tokenOf = ({ headers }: IncomingMessage) => /^Bearer ([\w-]{43})$/.exec(headers.authorization ?? '')?.[1];

function indexIn(known: readonly Buffer[], token: string | undefined): number {
  if (token === undefined) return -1;
  const digest = digestOf(token);
  return known.findIndex((one) => timingSafeEqual(one, digest));
}

/**
 * What is refused before anything is looked at: another user of this machine; a name other than ours, which a page of another site can make
 * point here; a page of another origin; and from a browser anything that is not a plain request of this page itself.
 */
export function strangerIn({ headers, method, socket }: IncomingMessage, port: number): AccessRefusal | undefined {
  const user = userAtOtherEnd(socket);
  if (user !== undefined && user !== 0 && user !== process.getuid?.()) return refused('this is not for you');
  if (headers.host !== `127.0.0.1:${port}`) return refused('this Host is not allowed');
  if (headers.origin !== undefined && headers.origin !== `http://127.0.0.1:${port}`)
    return refused('this Origin is not allowed');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && method === 'GET'))
    return refused('another site may not ask');
  return undefined;
}

const refused = (message: string): AccessRefusal => ({ status: 403, message });

/**
 * Whose process is at the other end of a connection on this machine: the kernel lists every socket with its owner. 'unknown' where the list
 * has none such; undefined where there is not a list, and the token decides alone then.
 */
function userAtOtherEnd(socket: Socket): number | 'unknown' | undefined {
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
