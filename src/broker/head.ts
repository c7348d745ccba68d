import { type Bytes, textOfBytes } from '../host/bytes.ts';
import { coversHost, coversName, matchesPath, showHost, showPlace } from '../policy/broker.ts';
import type { Dialled, Held } from './held.ts';
import { hasOtherAddress, hasOtherMethod, saysOtherMethod } from './override.ts';
import { countsIn, type Needles } from './scan.ts';

export type Header = readonly [name: string, value: string];

/** Of a header that may stand there more than once. */
export const valuesOf = (headers: readonly Header[], wanted: string): string[] =>
  headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);

export interface Head {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly headers: readonly Header[];
}

export interface RequestRefusal {
  readonly refused: string;
  readonly credential: string;
  readonly reason: string;
  readonly hint: string;
}

/** A request as it goes out, and whose values are in it now. */
export interface Swapped {
  readonly head: Head;
  readonly credentials: readonly Held[];
}

/** Where a placeholder was seen. Only what is written plainly can be swapped. */
interface Sighting {
  readonly kind: 'authorization' | 'header' | 'query' | 'path' | 'body' | 'encoded';
  readonly name: string;
  readonly swap?: ((head: Head) => Head) | undefined;
}

/** A body that was read whole before anything is sent. */
export interface WholeBody {
  readonly data: Buffer;
  readonly type: string;
}

export interface RequestQuestion {
  readonly dialled: Dialled;
  readonly held: readonly Held[];
  readonly needles: Needles;
  /** Text and what it may be decoded to. */
  readonly body?: WholeBody | undefined;
}

export type RequestAnswer = (Swapped & { readonly body?: Buffer | undefined }) | RequestRefusal;

/**
 * Swaps each placeholder of a request or refuses the request. In this order: 1. the host and port are the credential's own; 2. it stands there
 * once; 3. plainly, in a place that was declared; 4. method and path are allowed. The name that was dialled, that of the TLS handshake and
 * that of the request are the same before this is asked.
 */
export function answerTo(head: Head, question: RequestQuestion): RequestAnswer {
  let swapped: Swapped & { readonly body?: Buffer | undefined } = { head, credentials: [], body: question.body?.data };
  for (const [label, one] of question.held.entries()) {
    const sightings = sightingsOf(head, one, label, question);
    if (sightings.length === 0) continue;
    const refusal = refusalOf(head, one, sightings, question.dialled);
    if (refusal !== undefined) return refusal;
    const [{ kind, swap }] = sightings as [Sighting];
    const body = kind === 'body' && question.body !== undefined ? swappedBody(question.body, one) : swapped.body;
    swapped = { head: swap?.(swapped.head) ?? swapped.head, credentials: [...swapped.credentials, one], body };
  }
  return swapped;
}

type No = (refused: string, reason: string, hint: string) => RequestRefusal;

const noFor =
  ({ name }: Held): No =>
  (refused, reason, hint) => ({ refused, credential: name, reason, hint });

function refusalOf(
  head: Head,
  held: Held,
  sightings: readonly Sighting[],
  dialled: Dialled,
): RequestRefusal | undefined {
  const no = noFor(held);
  return hostRefusal(held, dialled, no) ?? placeRefusal(held, sightings, no) ?? requestRefusal(head, held, no);
}

/** Whether it may be used at this host and for this request, wherever it stands in it. */
export function useRefusal(head: Head, held: Held, dialled: Dialled): RequestRefusal | undefined {
  const no = noFor(held);
  return hostRefusal(held, dialled, no) ?? requestRefusal(head, held, no);
}

function hostRefusal({ rule }: Held, { name, port }: Dialled, no: No): RequestRefusal | undefined {
  if (rule.hosts.some((host) => coversHost(host, name, port))) return undefined;
  const isPort = rule.hosts.some((host) => coversName(host, name));
  // With the port where that is the difference: "to api.test only, not to api.test:80" would say nothing.
  const hosts = rule.hosts
    .map((host) => (isPort ? `${showHost({ ...host, port: 443 })}:${host.port}` : showHost(host)))
    .join(', ');
  return no(
    isPort ? 'port' : 'host',
    `it may be sent to ${hosts} only, not to ${name}:${port}`,
    `add ${name}${port === 443 ? '' : `:${port}`} to its hosts if it should have it`,
  );
}

function placeRefusal({ rule }: Held, sightings: readonly Sighting[], no: No): RequestRefusal | undefined {
  const [first, ...more] = sightings as [Sighting, ...Sighting[]];
  const places = rule.places.map(showPlace).join(' or ');
  if (more.length > 0)
    return no(
      'twice',
      `it stands in this request ${sightings.length} times, and only once is sent`,
      `send it once, in ${places}`,
    );
  if (first.kind === 'encoded')
    return no(
      'encoded',
      `it stands encoded in ${first.name}, which is never sent on`,
      `send it as it is, in ${places}`,
    );
  if (rule.places.some((place) => isPlace(place, first))) return undefined;
  if (rule.places.length === 0) return no('place', 'it is never sent on', 'leave it out: no request needs it');
  return no(
    'place',
    `it stands in ${first.kind === 'path' ? 'the path' : `${first.kind} ${first.name}`.replace('authorization authorization', 'the Authorization header')}, and may stand only in ${places}`,
    `declare that place if the service wants it there`,
  );
}

function requestRefusal(head: Head, held: Held, no: No): RequestRefusal | undefined {
  const { methods } = held.rule;
  if (methods.length > 0 && !methods.includes(head.method))
    return no(
      'method',
      `it may be used with ${methods.join(', ')} only, not with ${head.method}`,
      'add the method to the credential if it should be',
    );
  if (methods.length > 0 && (hasOtherMethod(head.headers) || saysOtherMethod(head.target)))
    return no(
      'method',
      `it may be used with ${methods.join(', ')} only, and this request names another method in a header or in _method`,
      'send it with the method that is meant',
    );
  return pathRefusal(head, held, no);
}

function pathRefusal({ target, headers }: Head, { rule }: Held, no: No): RequestRefusal | undefined {
  if (rule.paths.length === 0) return undefined;
  if (hasOtherAddress(headers))
    return no(
      'path',
      `it may be used for ${rule.paths.join(', ')} only, and this request names another address in a header`,
      'send it without X-Original-URL and the like',
    );
  const path = plainPath(target);
  if (path === undefined)
    return no(
      'path',
      'the path of this request can be read in more than one way',
      'send it without dots, encoded slashes and the like',
    );
  if (rule.paths.some((pattern) => matchesPath(pattern, path))) return undefined;
  return no(
    'path',
    `it may be used for ${rule.paths.join(', ')} only`,
    'add the path to the credential if it should be',
  );
}

/** Decoded once; undefined where servers differ in how they read it. */
function plainPath(target: string): string | undefined {
  const [path = ''] = target.split('?', 1);
  if (/%(?:2f|5c|00|25)/i.test(path) || /[\\#;]/.test(path)) return undefined;
  const decoded = percentDecoded(path);
  return /\/(?:\/|\.{1,2}(?:\/|$))|[\x00-\x1f\x7f]/.test(decoded) ? undefined : decoded;
}

function isPlace(place: Held['rule']['places'][number], { kind, name }: Sighting): boolean {
  return place.kind === kind && (place.kind === 'authorization' || ('name' in place && place.name === name));
}

function sightingsOf(head: Head, held: Held, label: number, { needles, body }: RequestQuestion): Sighting[] {
  const seen = head.headers.flatMap(([name, value]) =>
    headerSightings(name.toLowerCase(), value, held, label, needles),
  );
  return [...seen, ...targetSightings(head.target, held, label, needles), ...bodySightings(body, held, label, needles)];
}

function headerSightings(name: string, value: string, held: Held, label: number, needles: Needles): Sighting[] {
  const isAuthorization = name === 'authorization';
  const basic = isAuthorization ? /^\s*basic\s+([A-Za-z0-9+/_=-]+)\s*$/i.exec(value)?.[1] : undefined;
  if (basic !== undefined) {
    const login = Buffer.from(basic, 'base64').toString('latin1');
    const swap = (to: string) =>
      `Basic ${Buffer.from(
        login.replace(held.placeholder, () => to),
        'latin1',
      ).toString('base64')}`;
    return found(login, held, label, needles, 'the Authorization header', {
      kind: 'authorization',
      name,
      swap: inHeader(name, value, () => swap(held.value)),
    });
  }
  const kind = isAuthorization ? 'authorization' : 'header';
  const swap = inHeader(name, value, (text) => text.replace(held.placeholder, () => held.value));
  return found(value, held, label, needles, `the header ${name}`, { kind, name, swap });
}

function inHeader(name: string, value: string, change: (text: string) => string): (head: Head) => Head {
  return (head) => ({
    ...head,
    headers: head.headers.map((header) =>
      header[0].toLowerCase() === name && header[1] === value ? [header[0], change(value)] : header,
    ),
  });
}

function targetSightings(target: string, held: Held, label: number, needles: Needles): Sighting[] {
  const question = target.indexOf('?');
  const [path, query] = question === -1 ? [target, ''] : [target.slice(0, question), target.slice(question + 1)];
  const inPath = found(path, held, label, needles, 'the path', { kind: 'path', name: 'path' });
  const inQuery = query === '' ? [] : query.split('&').flatMap((pair) => pairSightings(pair, held, label, needles));
  const halves =
    inPath.length + inQuery.length === 0
      ? found(target, held, label, needles, 'the address', { kind: 'encoded', name: 'the address' })
      : [];
  return [...inPath, ...inQuery, ...halves];
}

function pairSightings(pair: string, held: Held, label: number, needles: Needles): Sighting[] {
  const equals = pair.indexOf('=');
  const name = percentDecoded(equals === -1 ? '' : pair.slice(0, equals));
  const value = equals === -1 ? pair : pair.slice(equals + 1);
  // A placeholder needs no encoding, but what stands plainly may be encoded by habit: `%2D` for a dash.
  const isWhole = percentDecoded(value) === held.placeholder && name !== '';
  const swap = (head: Head): Head => ({
    ...head,
    target: head.target.replace(
      pair,
      () => `${pair.slice(0, equals)}=${encodeURIComponent(Buffer.from(held.value, 'latin1').toString('utf8'))}`,
    ),
  });
  if (isWhole) return [{ kind: 'query', name, swap }];
  return found(pair, held, label, needles, `the query parameter ${name}`, {
    kind: 'encoded',
    name: `the query parameter ${name}`,
  });
}

function bodySightings(body: WholeBody | undefined, held: Held, label: number, needles: Needles): Sighting[] {
  if (body === undefined || body.data.length === 0) return [];
  const text = body.data.toString('latin1');
  const field = fieldWith(body, held.placeholder);
  const sighting: Sighting =
    field === undefined ? { kind: 'encoded', name: 'the body' } : { kind: 'body', name: field };
  return found(text, held, label, needles, 'the body', sighting);
}

/** One sighting for each time it is there, and one more where only a decoded reading shows it. */
function found(text: string, held: Held, label: number, needles: Needles, where: string, plain: Sighting): Sighting[] {
  const literal = count(text, held.placeholder);
  const anyForm = countsIn(needles, text).get(label) ?? 0;
  const decoded = Math.max(anyForm, ...readingsOf(text).map((reading) => count(reading, held.placeholder)));
  return [
    ...Array<Sighting>(literal).fill(plain),
    ...(decoded > literal ? [{ kind: 'encoded', name: where } as const] : []),
  ];
}

const count = (text: string, part: string) => text.split(part).length - 1;

/** What a reader of this text may make of it: percent signs taken apart up to three times, escapes of JSON, parts in base64. */
function readingsOf(text: string): string[] {
  const once = text.includes('%') ? percentDecoded(text) : text;
  const twice = percentDecoded(once);
  const thrice = percentDecoded(twice);
  const unescaped = text.includes('\\')
    ? text
        .replace(/\\u00([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
        .replace(/\\(.)/g, '$1')
    : text;
  const base64 = (text.match(/[A-Za-z0-9+/_-]{24,}/g) ?? [])
    .slice(0, 64)
    .map((part) => Buffer.from(part, 'base64').toString('latin1'));
  const separated = text.length > 65_536 ? text : text.replace(/["'\s+,&]/g, '');
  return [...new Set([once, twice, thrice, unescaped, separated, ...base64])];
}

function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const isForm = (type: string) => /^application\/x-www-form-urlencoded\b/i.test(type);
const isJson = (type: string) => /^application\/(?:[a-z.+-]+\+)?json\b/i.test(type);

/** The field of a JSON or form body that is the placeholder and nothing more. */
function fieldWith({ data, type }: WholeBody, placeholder: string): string | undefined {
  if (isForm(type))
    return [...new URLSearchParams(data.toString('utf8'))].find(([, value]) => value === placeholder)?.[0];
  if (!isJson(type)) return undefined;
  try {
    return fieldOf(JSON.parse(data.toString('utf8')), placeholder, '');
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, placeholder: string, path: string): string | undefined {
  if (value === placeholder) return path;
  if (typeof value !== 'object' || value === null || path.split('.').length > 16) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const field = fieldOf(inner, placeholder, path === '' ? name : `${path}.${name}`);
    if (field !== undefined) return field;
  }
  return undefined;
}

/** It was found once, as a whole field, so that its text can be exchanged where it stands. */
function swappedBody({ data, type }: WholeBody, { placeholder, value }: Held): Buffer {
  const text = textOfBytes(value as Bytes) ?? value;
  const written = isForm(type) ? encodeURIComponent(text) : JSON.stringify(text).slice(1, -1);
  const at = data.indexOf(placeholder, 0, 'latin1');
  const length = Buffer.byteLength(written);
  // Of its own, so that it can be wiped: Node keeps short ones together with others.
  const swapped = Buffer.allocUnsafeSlow(data.length - placeholder.length + length);
  data.copy(swapped, 0, 0, at);
  swapped.write(written, at, 'utf8');
  data.copy(swapped, at + length, at + placeholder.length);
  return swapped;
}
