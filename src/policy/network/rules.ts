import { domainToASCII } from 'node:url';
import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { nearest } from '../nearest.ts';
import type { Origin, Policy } from '../policy.ts';
import { contains, innermost, type Network, parseAddress, parseNetwork, showAddress } from './address.ts';
import { HOST_SETS, hostsOfSet } from './sets.ts';

/** `on` and `off` have no list. `names` lets through what the list names, `learn` everything, `ask` the rest once a person says so. */
export type NetworkMode = 'on' | 'off' | 'names' | 'learn' | 'ask';

export interface NetworkPolicy {
  readonly mode: NetworkMode;
  readonly allow: readonly HostRule[];
  /** Whatever `allow` says. */
  readonly deny: readonly HostRule[];
  /** What `own` stands for; undefined where no agent is started. */
  readonly own?: readonly HostRule[] | undefined;
  readonly limits?: NetworkLimits | undefined;
}

/** What a launch may take of the process outside; undefined: as much as usual. */
interface NetworkLimits {
  /** Connections that are open at once, at each port and through the proxy. */
  readonly connections?: number | undefined;
  /** How long a connection may be open without a word from either side. */
  readonly silenceSeconds?: number | undefined;
}

/** Where a name leads by decree: an address that is meant, private or not. */
interface Pin {
  readonly address: string;
  readonly port?: number | undefined;
}

interface WrittenHost {
  /** As it is written, sets taken apart. */
  readonly text: string;
  readonly origin: Origin;
  /** The set it came from. */
  readonly set?: string | undefined;
  /** Undefined: those of the web where it allows, all where it denies. */
  readonly port?: number | undefined;
}

export type HostRule =
  | (WrittenHost & { readonly kind: 'name' | 'below'; readonly name: string; readonly pin?: Pin | undefined })
  | (WrittenHost & { readonly kind: 'network'; readonly network: Network })
  /** A port of this machine's own loopback. */
  | (WrittenHost & { readonly kind: 'loopback'; readonly port: number })
  | (WrittenHost & { readonly kind: 'any' })
  /** What the adapter of an agent names; only an agent's policy knows what that is. */
  | (WrittenHost & { readonly kind: 'own' });

export const NETWORK_ON: NetworkPolicy = { mode: 'on', allow: [], deny: [] };
export const NETWORK_OFF: NetworkPolicy = { mode: 'off', allow: [], deny: [] };

/** Whether connections are looked at one by one, by a process outside. */
export const isByName = ({ mode }: Pick<NetworkPolicy, 'mode'>) => mode !== 'on' && mode !== 'off';

type ParsedHost =
  | { readonly rules: readonly HostRule[] }
  | { readonly problem: string; readonly hint?: string | undefined };

/** For JSON Schema and messages. The parser says what is wrong in detail. */
export const HOST_EXPECTED = 'a host such as example.com, *.example.com, example.com:5432, @npm or 10.0.0.0/8';

/** One entry of a list of hosts: `NAME`, `*.NAME`, an address or a network, each with `:PORT`, a pin, `@SET`, `@host:PORT`, `@own`, `*`. */
export function parseHost(text: string, origin: Origin): ParsedHost {
  if (text.startsWith('@')) return parseAt(text, origin);
  if (text === '*') return { rules: [{ kind: 'any', text, origin }] };
  const address = addressProblem(text);
  if (address !== undefined) return address;
  const [host = '', target, ...more] = text.split('=');
  if (more.length > 0) return problem(text, 'has more than one =');
  const split = splitPort(host);
  if (split === undefined) return problem(text, 'has no valid port', 'a port is a number from 1 to 65535');
  const written = { text, origin, port: split.port };
  const network = parseNetwork(split.host);
  if (network !== undefined && target === undefined) return networkRule(written, network);
  const pin = target === undefined ? undefined : parsePin(target);
  if (target !== undefined && pin === undefined)
    return problem(
      text,
      'pins a name to something that is not an address',
      'write NAME=ADDRESS or NAME:PORT=ADDRESS:PORT',
    );
  const isBelow = split.host.startsWith('*.');
  const name = hostName(isBelow ? split.host.slice(2) : split.host);
  if ('problem' in name) return problem(text, name.problem, name.hint);
  return {
    rules: [{ ...written, kind: isBelow ? 'below' : 'name', name: name.name, ...(pin === undefined ? {} : { pin }) }],
  };
}

/** `https://api.test/v1`, perhaps pasted with a log-in in it, which is not repeated. */
function addressProblem(text: string): ParsedHost | undefined {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([^/?#]*)/i.exec(text)?.[1];
  if (host === undefined) return undefined;
  const shown = text.replace(/\/\/[^/@]*@/, '//…@');
  return problem(shown, 'is a URL, not a host', `name the host alone: ${host === '' ? 'HOST' : host}`);
}

const problem = (text: string, what: string, hint?: string): ParsedHost => ({ problem: `'${text}' ${what}`, hint });

function parseAt(text: string, origin: Origin): ParsedHost {
  const port = /^@host:([0-9]+)$/.exec(text)?.[1];
  if (port !== undefined && portOf(port) !== undefined)
    return { rules: [{ kind: 'loopback', text, origin, port: Number(port) }] };
  if (/^@host(:|$)/.test(text))
    return problem(text, 'names no port', "this machine's own loopback is opened one port at a time: @host:5432");
  if (text === '@own') return { rules: [{ kind: 'own', text, origin }] };
  const set = text.slice(1);
  const hosts = hostsOfSet(set);
  if (hosts !== undefined) return { rules: hosts.flatMap((host) => setRules(host, origin, text)) };
  const known = [...Object.keys(HOST_SETS), 'own', 'host:PORT'];
  const near = nearest(set, known);
  return problem(
    text,
    'is not a set of hosts',
    near === undefined ? '`cordon net sets` shows them' : `did you mean @${near}?`,
  );
}

function setRules(host: string, origin: Origin, set: string): HostRule[] {
  const parsed = parseHost(host, origin);
  if ('problem' in parsed) throw new TypeError(parsed.problem);
  return parsed.rules.map((rule) => ({ ...rule, set }));
}

const isLoopback = (network: Network) =>
  ['127.0.0.0/8', '::1'].some((one) => contains(parseNetwork(one) as Network, network));

/** Names and addresses that mean the loopback of whoever uses them. */
export function isLoopbackHost(host: string): boolean {
  const network = parseNetwork(host);
  if (network !== undefined) return isLoopback(network.bits === 128 ? innermost(network) : network);
  return /^(?:.*\.)?localhost\.?$/i.test(host);
}

function networkRule(written: WrittenHost, network: Network): ParsedHost {
  if (isLoopback(network))
    return problem(written.text, "is the command's own loopback", 'a port of this machine is @host:PORT');
  const meant = network.family === 6 && network.bits === 128 ? innermost(network) : network;
  if (meant !== network)
    return problem(written.text, 'is an IPv4 address in an IPv6 one', `write ${showAddress(meant)}`);
  return { rules: [{ ...written, kind: 'network', network }] };
}

function parsePin(text: string): Pin | undefined {
  const split = splitPort(text);
  const address = split === undefined ? undefined : parseAddress(split.host);
  if (split === undefined || address === undefined) return undefined;
  return { address: showAddress(address), ...(split.port === undefined ? {} : { port: split.port }) };
}

/** `HOST`, `HOST:PORT`, `[IPV6]:PORT`, and an IPv6 address by itself; undefined where the port is none. */
export function splitPort(text: string): { readonly host: string; readonly port?: number } | undefined {
  const bracketed = /^\[([^\]]*)\](\/[0-9]+)?(?::(.*))?$/s.exec(text);
  if (bracketed === null && text.split(':').length > 2) return { host: text };
  const [host = '', given] =
    bracketed === null ? cutOnce(text) : [`${bracketed[1]}${bracketed[2] ?? ''}`, bracketed[3]];
  if (given === undefined) return { host };
  const port = portOf(given);
  return port === undefined ? undefined : { host, port };
}

function cutOnce(text: string): [string, string | undefined] {
  const colon = text.indexOf(':');
  return colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

function portOf(text: string): number | undefined {
  return /^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

type HostName = { readonly name: string } | { readonly problem: string; readonly hint?: string };

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** A name as it is compared: small letters, no dot at its end, letters of other scripts as punycode. */
export function hostName(text: string): HostName {
  const name = inAscii(text).replace(/\.$/, '');
  if (name === '') return { problem: 'has no name in it', hint: HOST_EXPECTED };
  if (name.includes('*')) return { problem: 'has a * elsewhere than as *. at its beginning' };
  if (name.length > 253) return { problem: 'is longer than the 253 characters a name can have' };
  if (!name.split('.').every((label) => LABEL.test(label)))
    return { problem: 'is not the name of a host', hint: HOST_EXPECTED };
  if (isNumeric(name))
    return {
      problem: 'is an address in another spelling',
      hint: 'write it as four numbers with dots, such as 10.0.0.1',
    };
  if (isLoopbackHost(name))
    return { problem: "is the command's own loopback", hint: 'a port of this machine is @host:PORT' };
  return { name };
}

/** Node reads a name in other letters as part of an address: what follows a `?` or `#` would be cut off, and `%41` be a letter. */
function inAscii(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return /^[a-z0-9_.\-\u0080-\u{10ffff}]*$/iu.test(text) && !/\s/.test(text) ? domainToASCII(text) : text;
}

/** Programs read a name whose last part is a number as an address, octal and hexadecimal included. */
const isNumeric = (name: string) => /^(?:[0-9]+|0x[0-9a-f]*)$/.test(name.slice(name.lastIndexOf('.') + 1));

/** Each at the place of its last mention. */
export function uniqueHosts(rules: readonly HostRule[]): HostRule[] {
  return [...new Map(rules.toReversed().map((rule) => [rule.text, rule])).values()].toReversed();
}

/** With `own` replaced by what it stands for. */
export function settled({ own, ...network }: NetworkPolicy): NetworkPolicy {
  const rule = network.allow.find(({ kind }) => kind === 'own');
  if (rule === undefined) return network;
  const refusal = (message: string, hint: string) => new CordonError('policy', message, { where: rule.origin, hint });
  if (own === undefined) throw refusal('own stands for the hosts of an agent', 'give --agent NAME, or name the hosts');
  if (own.length === 0) throw refusal("nothing is known of where this agent's services are", 'name the hosts');
  return { ...network, allow: uniqueHosts(network.allow.flatMap((one) => (one.kind === 'own' ? own : [one]))) };
}

/** What a rule without a port allows. */
export const WEB_PORTS: readonly number[] = [80, 443];

type HostVerdict =
  | { readonly allowed: true; readonly rule: HostRule | undefined }
  | { readonly allowed: false; readonly rule: HostRule | undefined };

/**
 * Whether a host may be reached, and by which rule:
 * 1. what `deny` names is refused,
 * 2. what `allow` names is let through, the narrowest rule first so that a pin counts,
 * 3. `learn` lets the rest through; nothing else does.
 */
export function verdictOn({ mode, allow, deny }: NetworkPolicy, host: string, port: number): HostVerdict {
  const denied = deny.find((rule) => covers(rule, host, port, 'all'));
  if (denied !== undefined) return { allowed: false, rule: denied };
  if (mode === 'on' || mode === 'off') return { allowed: mode === 'on', rule: undefined };
  const matching = allow.filter((rule) => covers(rule, host, port, 'web'));
  const [rule] = matching.toSorted((a, b) => narrowness(b) - narrowness(a));
  return rule !== undefined || mode === 'learn' ? { allowed: true, rule } : { allowed: false, rule: undefined };
}

function covers(rule: HostRule, host: string, port: number, unsaid: 'web' | 'all'): boolean {
  if (
    rule.port === undefined ? unsaid === 'web' && rule.kind !== 'any' && !WEB_PORTS.includes(port) : rule.port !== port
  )
    return false;
  return coversHost(rule, host);
}

/** Whether some port of it is meant: what a name is looked up for isn't known yet. */
function coversHost(rule: HostRule, host: string): boolean {
  const address = parseAddress(host);
  switch (rule.kind) {
    case 'any':
      return 'name' in hostName(host);
    case 'name':
      return rule.name === host;
    case 'below':
      // What is no name, such as an address with a zone behind it, lies below none.
      return host.endsWith(`.${rule.name}`) && 'name' in hostName(host);
    case 'network':
      return address !== undefined && contains(rule.network, innermost(address));
    default:
      return false;
  }
}

/** A name before what lies below another, a rule with a port before one without. */
function narrowness(rule: HostRule): number {
  const kind = { name: 400, network: 400, loopback: 400, below: 0, any: -1000, own: -1000 }[rule.kind];
  return kind + (rule.kind === 'below' ? rule.name.length : 0) + (rule.port === undefined ? 0 : 1000);
}

/** Where the proxy of a sandbox is, as native/src/outside.h has it. */
const PROXY = 'http://127.0.0.1:17080';
const OWN_LOOPBACK = 'localhost,127.0.0.1,::1';

/** Where these variables come from, in what is told about a launch. */
export const BY_NAME_ORIGIN = 'the network by name';

const upperAndLower = (name: string) => [name, name.toLowerCase()];

/** What programs that know of proxies look at. Names work without them; with them programs need not resolve any. */
const VARIABLES: readonly (readonly [string, string])[] = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap(upperAndLower).map((name) => [name, PROXY] as const),
  ...upperAndLower('NO_PROXY').map((name) => [name, OWN_LOOPBACK] as const),
  ['NODE_USE_ENV_PROXY', '1'],
];

/** A proxy of the user's own is for the process outside: its password is nobody else's. */
export function withProxyVariables(policy: Policy): Policy {
  if (!isByName(policy.network)) return policy;
  const taken = new Set<string>(policy.set.map(({ name }) => name));
  const added = VARIABLES.filter(([name]) => !taken.has(name)).map(([name, value]) => ({
    name: bytesOfText(name),
    value: bytesOfText(value),
    origin: BY_NAME_ORIGIN,
  }));
  return { ...policy, set: [...policy.set, ...added] };
}
