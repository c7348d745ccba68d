import type { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { carry, OF_ANSWERS, readSmall } from './flow.ts';
import { type Header, valuesOf } from './head.ts';
import type { Holdings } from './holdings.ts';
import { mayHoldTokens, withoutTokens } from './new-tokens.ts';
import type { RequestLog } from './say.ts';
import { mask, masked, type Needles } from './scan.ts';
import { type ClientSide, endToEnd, type ResponseHead, type UpstreamResponse } from './sides.ts';
import { carryStraight } from './straight.ts';

/** A response on its way to the command, without values. */
export async function relay(
  client: ClientSide,
  response: UpstreamResponse,
  holdings: Holdings,
  log: RequestLog,
  shape?: string,
): Promise<void> {
  const { values } = holdings;
  const decoder = decoderOf(response);
  const dropped = decoder === undefined ? [] : ['content-encoding', 'content-length'];
  const to = client.respond({
    status: response.status,
    message: masked(values, response.message ?? ''),
    headers: maskedHeaders(response.headers, values, dropped),
  });
  log.status = response.status;
  await carryMasked(response, decoder, holdings, log, to, shape);
  client.end(maskedHeaders(response.trailers(), values));
  log.passed();
}

/** Nobody asked for it, but some servers compress all the same. */
export function decoderOf({ headers, status }: ResponseHead): Transform | undefined {
  const codings = valuesOf(headers, 'content-encoding').join(',').toLowerCase();
  if (codings === '' || codings === 'identity' || status === 204 || status === 304) return undefined;
  if (codings === 'gzip' || codings === 'x-gzip') return zlib.createGunzip();
  if (codings === 'deflate') return zlib.createInflate();
  if (codings === 'br') return zlib.createBrotliDecompress();
  throw Object.assign(new Error(`the server answered in ${codings}, which can't be looked through`), {
    code: 'ENCODING',
  });
}

/** A part of a document may begin or end in the middle of a value. With `shape`, no token of that shape arrives either. */
export function carryMasked(
  { status, headers, body, straight }: UpstreamResponse,
  decoder: Transform | undefined,
  { values }: Holdings,
  log: RequestLog,
  to: Writable,
  shape: string | undefined,
): Promise<void> {
  const covered = shape !== undefined && mayHoldTokens(headers) ? shape : undefined;
  const look = (count: (bytes: number) => void) => {
    const masking = mask(values, count, status === 206 ? 'part' : 'whole');
    return covered === undefined ? masking : withoutTokens(masking, covered, () => log.covered());
  };
  const connection = decoder === undefined ? straight?.() : undefined;
  if (connection === undefined) return carry(decoded(body, decoder), look(log.count('received')), to, OF_ANSWERS);
  return carryStraight(connection, look(log.countStraight('received')), to, OF_ANSWERS).finally(() =>
    connection.message.socket.destroy(),
  );
}

/** What goes wrong on either side of the decoder ends both, and is heard of from the decoder. */
function decoded(body: Readable, decoder: Transform | undefined): Readable {
  if (decoder === undefined) return body;
  pipeline(body, decoder).catch(() => undefined);
  return decoder;
}

export function maskedHeaders(headers: readonly Header[], values: Needles, dropped: readonly string[] = []): Header[] {
  return endToEnd(headers)
    .filter(([name]) => !dropped.includes(name.toLowerCase()))
    .map(([name, value]): Header => [name, masked(values, value)]);
}

/** For one that holds new credentials: it is read whole, and something else given to the command in its place. */
export function wholeBody(response: UpstreamResponse): Promise<Buffer> {
  return readSmall(decoded(response.body, decoderOf(response)));
}

export function respondInstead(
  client: ClientSide,
  { status, headers }: ResponseHead,
  body: Buffer,
  { values }: Holdings,
): void {
  const to = client.respond({ status, headers: [...headers, ['content-length', String(body.length)]] });
  to.write(Buffer.from(masked(values, body.toString('latin1')), 'latin1'));
  client.end([]);
}
