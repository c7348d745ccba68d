import { type LookupAddress, lookup } from 'node:dns';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { Patience } from '../host/patience.ts';
import { contains, innermost, METADATA, type Network, parseAddress, specialKind } from '../policy/network/address.ts';
import type { HostRule, NetworkPolicy } from '../policy/network/rules.ts';
import { beginning, endOfHead } from './beginning.ts';
import { RefusedRequest } from './requests.ts';
import type { Upstream } from './task.ts';

/** A host that was let through, with the rule that did it. */
export interface DialTarget {
  readonly name: string;
  readonly port: number;
  readonly rule: HostRule | undefined;
}

export interface DialOptions {
  readonly policy: NetworkPolicy;
  readonly upstream: Upstream | undefined;
  readonly connectMs: number;
}

/** Where it leads is found out once, looked at, and what was looked at is what is dialled. */
export async function dial(target: DialTarget, options: DialOptions): Promise<net.Socket> {
  const { rule, port, name } = target;
  if (rule?.kind === 'loopback') return connect([{ address: '127.0.0.1', family: 4 }], rule.port, options);
  if (rule !== undefined && 'pin' in rule && rule.pin !== undefined)
    return connect([familyOf(rule.pin.address)], rule.pin.port ?? port, options);
  const proxy = upstreamFor(name, port, options.upstream);
  if (proxy !== undefined) return throughProxy(proxy, target, options);
  return connect(await checkedAddresses(name, options.policy), port, options);
}

type Found = { readonly address: string; readonly family: number };
const familyOf = (address: string): Found => ({ address, family: net.isIP(address) });

async function checkedAddresses(name: string, policy: NetworkPolicy): Promise<Found[]> {
  const found = net.isIP(name) === 0 ? await addressesOf(name) : [familyOf(name)];
  const problems = found.map(({ address }) => addressProblem(address, policy));
  const good = found.filter((_, i) => problems[i] === undefined);
  if (good.length === 0)
    throw new RefusedRequest(problems.find((problem) => problem !== undefined) ?? 'it has no address');
  return good;
}

/** Why an address is not dialled although its name is allowed: what isn't public must be written as an address. */
function addressProblem(text: string, { allow, deny }: NetworkPolicy): string | undefined {
  const address = parseAddress(text.replace(/%.*$/, ''));
  if (address === undefined) return `it leads to '${text}', which is no address`;
  const meant = innermost(address);
  const names = (rule: HostRule) => rule.kind === 'network' && contains(rule.network, meant);
  const denied = deny.find(names);
  if (denied !== undefined) return `it leads to ${text}, which ${denied.text} denies`;
  if (allow.some(names)) return undefined;
  const kind =
    specialKind(address) ?? (ownAddresses().some((own) => isSame(own, meant)) ? 'this machine itself' : undefined);
  if (kind === undefined) return undefined;
  // What a metadata service gives away is nothing to be opened in passing.
  const flag = kind === METADATA ? '' : `; if that is meant: --net ${text}`;
  return `it leads to ${text}, ${kind}, which the list does not name${flag}`;
}

const isSame = (one: Network, other: Network) => one.family === other.family && one.base === other.base;

function ownAddresses(): Network[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).flatMap(({ address }) => {
      const parsed = parseAddress(address.replace(/%.*$/, ''));
      return parsed === undefined ? [] : [parsed];
    }),
  );
}

const addressesOf = (name: string) =>
  new Promise<LookupAddress[]>((resolve, reject) => {
    lookup(name, { all: true, verbatim: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });

function connect(found: readonly Found[], port: number, { connectMs }: DialOptions): Promise<net.Socket> {
  const [first] = found;
  const where =
    found.length === 1 && first !== undefined
      ? { host: first.address }
      : {
          host: 'checked',
          autoSelectFamily: true,
          lookup: (_host: string, _options: unknown, done: (error: null, all: readonly Found[]) => void) =>
            done(null, found),
        };
  const options = { port, allowHalfOpen: true, noDelay: true, ...where };
  return opened(net.connect(options as net.NetConnectOpts), 'connect', connectMs);
}

/** Whoever waits for it gets the socket, or why there is none. */
function opened<Kind extends net.Socket>(socket: Kind, event: string, ms: number): Promise<Kind> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('nobody answered in time')), ms);
    const failed = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', failed);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off('error', failed);
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}

/* ── the user's own way out ── */

function upstreamFor(name: string, port: number, upstream: Upstream | undefined): URL | undefined {
  const text = port === 80 ? (upstream?.http ?? upstream?.https) : (upstream?.https ?? upstream?.http);
  if (text === undefined || isExcepted(name, port, upstream?.except ?? '')) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new RefusedRequest('the proxy of this machine is none that can be used: only http:// and https:// ones are');
  return url;
}

/** As curl has it: a name and what lies below it, `*` for all, a port if one is said. */
function isExcepted(name: string, port: number, except: string): boolean {
  return except
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [host = '', only] = entry
        .toLowerCase()
        .replace(/^\*?\./, '')
        .split(':');
      if (only !== undefined && Number(only) !== port) return false;
      return entry === '*' || name === host || name.endsWith(`.${host}`);
    });
}

async function throughProxy(proxy: URL, { name, port }: DialTarget, { connectMs }: DialOptions): Promise<net.Socket> {
  if (!/^[0-9a-z_.:-]+$/.test(name)) throw new RefusedRequest('it is no name that a proxy could be told');
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const isTls = proxy.protocol === 'https:';
  const where = { host, port: Number(proxy.port || (isTls ? 443 : 80)) };
  const socket = isTls
    ? await opened((await import('node:tls')).connect({ ...where, servername: host }), 'secureConnect', connectMs)
    : await opened(net.connect({ ...where, allowHalfOpen: true, noDelay: true }), 'connect', connectMs);
  const authority = `${net.isIP(name) === 6 ? `[${name}]` : name}:${port}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const auth = proxy.username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${auth}\r\n`);
  await answered(socket, connectMs);
  return socket;
}

const LONGEST_ANSWER = 65_536;

async function answered(socket: net.Socket, ms: number): Promise<void> {
  let problem = 'closed the connection';
  const patience = new Patience(ms, () => {
    problem = 'did not answer in time';
    socket.destroy();
  });
  patience.begin();
  try {
    const said = await beginning(socket, (bytes) => endOfHead(bytes) !== -1 || bytes.length >= LONGEST_ANSWER);
    const end = endOfHead(said);
    const status = /^HTTP\/1\.[01] ([0-9]{3})/.exec(said.toString('latin1', 0, 64))?.[1];
    problem = `answered ${status ?? 'something that is no HTTP'}`;
    if (end === -1 || status?.startsWith('2') !== true) throw new Error(problem);
    if (said.length > end) socket.unshift(said.subarray(end));
  } catch {
    socket.destroy();
    throw new Error(`the proxy of this machine ${problem}`);
  } finally {
    patience.end();
  }
}
