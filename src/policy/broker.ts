import type { LogInName } from './log-ins.ts';

/** Where a credential's value goes, and only there: the command itself holds a placeholder. */
export interface BrokerRule {
  readonly hosts: readonly BrokerHost[];
  /** Where in a request the placeholder may stand; one of them. */
  readonly places: readonly BrokerPlace[];
  /** Upper case; empty: any. */
  readonly methods: readonly string[];
  /** `/repos/**`; empty: any. */
  readonly paths: readonly string[];
}

export interface BrokerHost {
  readonly name: string;
  /** `*.NAME`: what is below it, not the name itself. */
  readonly below: boolean;
  readonly port: number;
}

export type BrokerPlace =
  /** The Authorization header in any scheme; of Basic the decoded text. */
  | { readonly kind: 'authorization' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'query'; readonly name: string }
  /** A field of a JSON or form body; `a.b` is the field b in a. */
  | { readonly kind: 'body'; readonly name: string }
  /** The password of a PostgreSQL server: the broker logs in, over verified TLS unless it is said otherwise. */
  | { readonly kind: 'postgres'; readonly secure: boolean }
  /** The key of requests to AWS, which are signed with it and do not carry it. */
  | { readonly kind: 'aws' };

const HTTPS = 443;

export function showHost({ name, below, port }: BrokerHost): string {
  return `${below ? '*.' : ''}${name}${port === HTTPS ? '' : `:${port}`}`;
}

export function showPlace(place: BrokerPlace): string {
  if (place.kind === 'authorization') return 'the Authorization header';
  if (place.kind === 'aws') return 'the signature of a request to AWS';
  if (place.kind === 'postgres') return `the log-in of PostgreSQL${place.secure ? '' : ' without TLS'}`;
  if (place.kind === 'header') return `the header ${place.name}`;
  return place.kind === 'query' ? `the query parameter ${place.name}` : `the field ${place.name} of the body`;
}

/** What is no name, such as an address with a zone behind it, lies below none. */
export function coversName({ name, below }: BrokerHost, asked: string): boolean {
  if (!asked.split('.').every((label) => LABEL.test(label))) return false;
  return below ? asked.endsWith(`.${name}`) && asked.length > name.length + 1 : asked === name;
}

export const coversHost = (host: BrokerHost, name: string, port: number) =>
  host.port === port && coversName(host, name);

export type Parsed<T> = { readonly value: T } | { readonly problem: string; readonly hint?: string };

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** `NAME`, `*.NAME`, either with `:PORT`. What would be everywhere, or nowhere in particular, is refused. */
export function parseBrokerHost(text: string): Parsed<BrokerHost> {
  if (text === '*' || text === '*.*')
    return {
      problem: `'${text}' would send the credential to whatever host the command names, which is all that a broker is there to prevent`,
      hint: 'name the hosts that may have it, for example api.example.com or *.example.com',
    };
  const [, host = '', digits] = /^(.*?)(?::([0-9]+))?$/s.exec(text.toLowerCase()) ?? [];
  const port = digits === undefined ? HTTPS : Number(digits);
  if (port < 1 || port > 65_535)
    return { problem: `'${text}' has no valid port`, hint: 'a port is a number from 1 to 65535' };
  const below = host.startsWith('*.');
  const name = (below ? host.slice(2) : host).replace(/\.$/, '');
  const labels = name.split('.');
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)))
    return {
      problem: `'${text}' is not the name of a host`,
      hint: 'write it as api.example.com, *.example.com or api.example.com:8443',
    };
  if (below && labels.length < 2)
    return {
      problem: `'${text}' covers all hosts below a top-level domain`,
      hint: 'name the domain itself: *.example.com',
    };
  if (/^[0-9]+$/.test(labels.at(-1) as string))
    return { problem: `'${text}' is an address: a credential goes to a name that a certificate proves` };
  return { value: { name, below, port } };
}

const FIELD_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** `authorization`, `header NAME`, `query NAME`, `body FIELD`, `postgres`, `postgres plain`, `aws`. */
export function parseBrokerPlace(text: string): Parsed<BrokerPlace> {
  const [kind = '', name, ...more] = text.trim().split(/\s+/);
  if ((kind === 'authorization' || kind === 'aws') && name === undefined) return { value: { kind } };
  if (kind === 'postgres' && more.length === 0 && (name === undefined || name === 'plain'))
    return { value: { kind, secure: name === undefined } };
  const isNamed = kind === 'header' || kind === 'query' || kind === 'body';
  if (!isNamed || name === undefined || more.length > 0 || !FIELD_NAME.test(name))
    return {
      problem: `'${text}' is not a place for a credential`,
      hint: 'use authorization, header NAME, query NAME, body FIELD, postgres or aws',
    };
  if (kind !== 'header') return { value: { kind, name } };
  const lower = name.toLowerCase();
  if (lower === 'authorization') return { value: { kind: 'authorization' } };
  return CONTROL_HEADERS.has(lower)
    ? { problem: `the header ${name} says how the request is read, and holds no credential` }
    : { value: { kind, name: lower } };
}

const CONTROL_HEADERS = new Set(
  'host connection content-length transfer-encoding te trailer upgrade expect keep-alive proxy-connection proxy-authorization range accept-encoding'.split(
    ' ',
  ),
);

export function parseMethod(text: string): Parsed<string> {
  return /^[A-Za-z]{1,20}$/.test(text)
    ? { value: text.toUpperCase() }
    : { problem: `'${text}' is not an HTTP method`, hint: 'such as GET or POST' };
}

export function parsePath(text: string): Parsed<string> {
  if (!text.startsWith('/')) return { problem: `'${text}' is not a path: it has to begin with /` };
  return /[?#%\\]|\/\.{1,2}(?:\/|$)/.test(text)
    ? { problem: `'${text}' has a ?, #, %, \\ or dots that no path is compared with` }
    : { value: text };
}

/** `*` stands for what is between two slashes, `**` for anything; between slashes, and at the end, for nothing too. */
export function matchesPath(pattern: string, path: string): boolean {
  const source = pattern
    .split(/(\/\*\*(?=\/|$)|\*\*|\*)/)
    .map((part) => ANY[part] ?? part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('')}$`, 's').test(path);
}

const ANY: Readonly<Record<string, string>> = { '/**': '(?:/.*)?', '**': '.*', '*': '[^/]*' };

/** An address that hands out credentials. */
export interface MintRule {
  readonly about: string;
  readonly host: BrokerHost;
  readonly methods: readonly string[];
  readonly path: string;
  /** Where in its JSON answer they stand; none: such a request is refused. */
  readonly fields: readonly string[];
  /** It renews this log-in, and makes new ones of its kind. */
  readonly logIn?: LogInName | undefined;
  /** Where they are good for; undefined: where the credential is that they were made from. */
  readonly rule?: BrokerRule | undefined;
}

/** What tokens of a service look like, at one of its hosts. */
export interface TokenShape {
  readonly host: BrokerHost;
  readonly token: string;
}
