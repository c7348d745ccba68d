import type { Bytes } from '../host/bytes.ts';
import { coversHost, type MintRule, matchesPath } from '../policy/broker.ts';
import { Secret } from '../secrets/secret.ts';
import type { Head } from './head.ts';
import type { Dialled, Held } from './held.ts';
import type { Holdings } from './holdings.ts';
import { hasOtherMethod, saysOtherMethod } from './override.ts';
import { placeholderFor } from './placeholder.ts';
import { maskedHeaders, respondInstead, wholeBody } from './response.ts';
import { mintRefusal, Refused, type RequestLog } from './say.ts';
import type { ClientSide, UpstreamResponse } from './sides.ts';

const READING = ['GET', 'HEAD', 'OPTIONS'];

/** The rule for an address that hands out credentials, however its path is spelled and its method is said. */
export function mintFor(
  rules: readonly MintRule[],
  { name, port }: Dialled,
  { method, target, headers }: Head,
): MintRule | undefined {
  const isOther = hasOtherMethod(headers) || saysOtherMethod(target);
  const meets = ({ methods, logIn }: MintRule) =>
    methods.includes(method) || isOther || (logIn !== undefined && !READING.includes(method));
  const here = rules.filter((rule) => coversHost(rule.host, name, port) && meets(rule));
  if (here.length === 0) return undefined;
  const paths = readingsOf(target);
  return here.find((rule) => paths.some((path) => matchesPath(rule.path.toLowerCase(), path)));
}

/** As one server or another may read it: decoded once or twice, without doubled slashes, dots and parameters. */
function readingsOf(target: string): string[] {
  const [path = ''] = target.split(/[?#]/, 1);
  const once = decodedPath(path);
  return [...new Set([path, once, decodedPath(once)].flatMap((text) => [text, settledPath(text)]))].map(
    (text) => text.toLowerCase().replace(/\/+$/, '') || '/',
  );
}

function decodedPath(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function settledPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    const [bare = ''] = part.split(';', 1);
    if (bare === '..') parts.pop();
    else if (bare !== '' && bare !== '.') parts.push(bare);
  }
  return `/${parts.join('/')}`;
}

/** What a server makes out of a credential is a credential: the command gets placeholders for it. */
export async function capture(
  client: ClientSide,
  response: UpstreamResponse,
  { mint, from }: { readonly mint: MintRule; readonly from: readonly Held[] },
  holdings: Holdings,
  log: RequestLog,
): Promise<void> {
  const { status } = response;
  const result = captured(await wholeBody(response), from, mint, holdings.held);
  if (result === undefined) throw new Refused(mintRefusal(log, mint));
  holdings.add(result.held);
  const dropped = ['content-encoding', 'content-length', 'set-cookie'];
  const headers = maskedHeaders(response.headers, holdings.values, dropped);
  respondInstead(client, { status, headers }, result.body, holdings);
  log.status = status;
  log.write('swapped', { rule: 'mint' });
}

interface Captured {
  readonly body: Buffer;
  readonly held: readonly Held[];
}

const SHORTEST = 8;

/** The answer with placeholders where credentials stood, and what they stand for. Undefined where it can't be told which those are. */
function captured(body: Buffer, from: readonly Held[], mint: MintRule, known: readonly Held[]): Captured | undefined {
  const [source] = from;
  const rule = mint.rule ?? source?.rule;
  if (rule === undefined) return undefined;
  const answer = parsed(body);
  if (answer === undefined) return undefined;
  const held: Held[] = [];
  const replaced = withPlaceholders(answer, '', (field, value) => {
    if (!mint.fields.includes(field) || value.length < SHORTEST) return value;
    const name = `${source?.name ?? 'minted'}.${field}`;
    const taken = [...known, ...held].flatMap(({ placeholder, value: one }) => [placeholder, one]);
    const bytes = Buffer.from(value, 'utf8').toString('latin1') as Bytes;
    const placeholder = placeholderFor(name as Bytes, new Secret(bytes), taken);
    held.push({ name, placeholder, value: bytes, rule });
    return placeholder;
  });
  return held.length === 0 ? undefined : { body: Buffer.from(JSON.stringify(replaced)), held };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function withPlaceholders(value: unknown, path: string, replace: (field: string, value: string) => string): unknown {
  if (typeof value === 'string') return replace(path, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withPlaceholders(one, path, replace));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      withPlaceholders(inner, path === '' ? name : `${path}.${name}`, replace),
    ]),
  );
}
