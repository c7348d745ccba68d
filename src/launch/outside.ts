import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrokerSettings } from '../broker/settings.ts';
import type { SshSettings } from '../broker/ssh-agent.ts';
import { type Bytes, bytesOfText, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { Names, writtenNames } from '../network/names.ts';
import { type Task, taskText, type Upstream, writtenRules } from '../network/task.ts';
import { type Operation, type Outside, type Path, pathOf } from '../plan/places/index.ts';
import { showAddress } from '../policy/network/address.ts';
import { type HostRule, isByName, type NetworkPolicy, settled, WEB_PORTS } from '../policy/network/rules.ts';
import type { Policy } from '../policy/policy.ts';

export interface OutsideRequest {
  readonly policy: Pick<Policy, 'origin' | 'network'>;
  readonly env: ParentEnv;
  readonly state: string | undefined;
  /** What is started, for messages. */
  readonly subject: string;
  /** A plan that lies in a file holds no password. */
  readonly lasting?: boolean;
  /** Values for the process outside alone. */
  readonly broker?: BrokerSettings | undefined;
  readonly ssh?: SshSettings | undefined;
}

/** Keys in OpenSSL's hands are locked in memory (broker/put-away.ts): room for thousands of handshakes at once, a quarter of the usual limit. */
export const LOCKED_BYTES = 2 << 20;

/**
 * Of Node, for as little memory as may be: a young generation of the usual size takes 40 MB more where hundreds of connections are open, and
 * what a download leaves behind is given back sooner (host/collect.ts). That takes less time than to wake other threads for it.
 */
export const OUTSIDE_FLAGS = [
  '--max-semi-space-size=1',
  '--expose-gc',
  `--secure-heap=${LOCKED_BYTES}`,
  '--single-threaded-gc',
  '--v8-pool-size=1',
] as const;

/** What a launch needs whose hosts are named: a way out that someone watches, and files that lead programs to it. */
export function outsideOperations(request: OutsideRequest): Operation[] {
  const { network } = request.policy;
  if (network.mode === 'off') return laid(NAMELESS);
  if (!isByName(network)) return [];
  const { words, task } = wayOut(request);
  return [...laid(systemFiles(settled(network))), listeners(request, { words, task })];
}

/** The same in a container: whoever takes the listeners there is started by us, and `at` is where. */
export function outsideOperationsInside(request: Pick<OutsideRequest, 'policy' | 'ssh'>, at: string): Operation[] {
  if (!isByName(request.policy.network)) return [];
  return [...imageFiles(settled(request.policy.network)), listeners(request, { at: at as Path })];
}

/** The program that lets connections through, and what it is told. */
export function wayOut(request: OutsideRequest): { readonly words: readonly string[]; readonly task: Bytes } {
  const { policy } = request;
  const network = settled(policy.network);
  const task: Task = {
    mode: network.mode,
    allow: writtenRules(network.allow),
    deny: writtenRules(network.deny),
    ports: portsOf(network),
    // Only who is asked wants to know; a plan without it serves any command.
    subject: network.mode === 'ask' ? request.subject : '',
    policy: network.mode === 'ask' ? policy.origin : '',
    state: request.state,
    upstream: upstreamOf(request),
    limits: limitsOf(network),
    broker: request.broker,
    ssh: request.ssh,
  };
  return {
    words: [process.execPath, ...OUTSIDE_FLAGS, fileURLToPath(new URL('network.cjs', import.meta.url))],
    task: bytesOfText(taskText(task)),
  };
}

function listeners({ policy, ssh }: Pick<OutsideRequest, 'policy' | 'ssh'>, outside: Outside): Operation {
  const network = settled(policy.network);
  return {
    kind: 'network-names',
    ports: portsOf(network),
    local: localOf(network.allow),
    socket: ssh === undefined ? undefined : pathOf(ssh.socket),
    outside,
  };
}

function limitsOf({ limits }: NetworkPolicy): Task['limits'] {
  const { connections, silenceSeconds } = limits ?? {};
  if (connections === undefined && silenceSeconds === undefined) return undefined;
  return {
    ...(connections === undefined ? {} : { connections }),
    ...(silenceSeconds === undefined ? {} : { idleMs: silenceSeconds * 1000 }),
  };
}

/** What is listened on where no rule says a port: those of servers far away, none that people run on their own machine. */
const USUAL_PORTS = [22, ...WEB_PORTS, 465, 587, 993, 9418];
const MOST_PORTS = 200;
/** Taken by the resolver and the proxy of the sandbox. */
const OWN_PORTS = [53, 17_080];

function portsOf({ mode, allow }: NetworkPolicy): number[] {
  const isOpen = mode !== 'names' || allow.some(({ kind, port }) => kind === 'any' && port === undefined);
  const isWeb = allow.some(({ port }) => port === undefined);
  const said = allow.flatMap(({ port }) => port ?? []);
  const taken = allow.find(({ port }) => port !== undefined && OWN_PORTS.includes(port));
  if (taken !== undefined)
    throw new CordonError('policy', `port ${taken.port} is the sandbox's own`, { where: taken.origin });
  const ports = [...new Set([...(isOpen ? USUAL_PORTS : []), ...(isWeb ? WEB_PORTS : []), ...said])];
  if (ports.length > MOST_PORTS)
    throw new CordonError('policy', `the list of hosts has ${ports.length} ports, more than ${MOST_PORTS}`);
  return ports.toSorted((a, b) => a - b);
}

/** As many as the launcher takes. */
const MOST_LOCAL = 64;

interface Local {
  readonly address: string;
  readonly bits: number;
}

/** Addresses that are written down are reached as such too. What holds 127.0.0.0/8, and IPv6, only through the proxy. */
function localOf(rules: readonly HostRule[]): Local[] {
  const found = rules.flatMap((rule) => {
    if (rule.kind !== 'network' || rule.network.family !== 4 || rule.network.bits < 8) return [];
    return [{ address: showAddress(rule.network), bits: rule.network.bits, origin: rule.origin }];
  });
  const local = new Map<string, Local>();
  for (const { address, bits, origin } of found) {
    local.set(`${address}/${bits}`, { address, bits });
    if (local.size > MOST_LOCAL)
      throw new CordonError('policy', `the list of hosts has more than ${MOST_LOCAL} addresses and networks`, {
        where: origin,
        hint: 'name hosts, or one network that holds them',
      });
  }
  return [...local.values()];
}

/* ── files that programs find names by ── */

const HOSTS = '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n';
const RESOLVER = 'nameserver 127.0.0.1\nsearch .\n';

function hostsFile(network: NetworkPolicy): string {
  const written = writtenNames(network);
  return `${HOSTS}${new Names(written.length, written).lines()}`;
}

/** Of a file of the system, what it says inside. */
type Change = readonly [string, (text: string) => string];

const lookedUpIn = (sources: string) => (text: string) => text.replace(/^[ \t]*hosts[ \t]*:.*$/m, `hosts: ${sources}`);

const systemFiles = (network: NetworkPolicy): readonly Change[] => [
  ['/etc/resolv.conf', () => RESOLVER],
  ['/etc/hosts', () => hostsFile(network)],
  ['/etc/nsswitch.conf', lookedUpIn('files dns')],
];

/**
 * Without a network a name is not known, at once. A resolver that cannot be reached is a passing trouble to programs, which wait and ask
 * again; those that don't read nsswitch.conf ask 127.0.0.1, where nobody is, once.
 */
const NAMELESS: readonly Change[] = [
  ['/etc/resolv.conf', () => 'options timeout:1 attempts:1\n'],
  ['/etc/nsswitch.conf', lookedUpIn('files')],
];

function laid(files: readonly Change[]): Operation[] {
  return files.flatMap(([name, change]) => {
    const path = pathOf(name);
    if (path === undefined || !existsSync(name)) return [];
    return [{ kind: 'data', path, text: bytesOfText(change(readFileSync(name, 'utf8'))) } as const];
  });
}

/**
 * What an image has of its own is not known outside. Where one of these is absent, programs ask a resolver on 127.0.0.1, as they should. Users and groups are in its files: nothing else could be asked from in there. */
const SWITCH = ['passwd', 'group', 'shadow', 'networks', 'protocols', 'services', 'ethers', 'rpc'].map(
  (name) => `${name}: files\n`,
);

function imageFiles(network: NetworkPolicy): Operation[] {
  const files: readonly (readonly [string, string])[] = [
    ['/etc/resolv.conf', RESOLVER],
    ['/etc/hosts', hostsFile(network)],
    ['/etc/nsswitch.conf', `${SWITCH.join('')}hosts: files dns\n`],
  ];
  return files.map(([path, text]) => ({ kind: 'try-data', path: path as Path, text: bytesOfText(text) }));
}

/* ── the user's own proxy ── */

export function upstreamOf({ env, lasting }: Pick<OutsideRequest, 'env' | 'lasting'>): Upstream | undefined {
  const value = (...names: string[]) =>
    names
      .map((name) => env.get(name as Bytes))
      .flatMap((bytes) => (bytes === undefined || bytes === '' ? [] : (textOfBytes(bytes) ?? [])))[0];
  const all = value('all_proxy', 'ALL_PROXY');
  const https = usable(value('https_proxy', 'HTTPS_PROXY') ?? all, lasting);
  const http = usable(value('http_proxy', 'HTTP_PROXY') ?? all, lasting);
  if (http === undefined && https === undefined) return undefined;
  return { http, https, except: value('no_proxy', 'NO_PROXY') };
}

function usable(text: string | undefined, lasting: boolean | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = /^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`;
  const hasPassword = URL.canParse(url) && new URL(url).password !== '';
  return lasting === true && hasPassword ? undefined : url;
}
