import { coversHost, type MintRule, type TokenShape } from '../policy/broker.ts';
import { carry, OF_REQUESTS, readSmall, SMALL_BODY } from './flow.ts';
import { type Head, valuesOf, type WholeBody } from './head.ts';
import type { BrokerRecord, Held } from './held.ts';
import { capture, mintFor } from './mint.ts';
import { shapeAt } from './new-tokens.ts';
import { asSent, checkedTrailers, requireSameName, signedAnew, withValues } from './outgoing.ts';
import { relay } from './response.ts';
import { bodyRefusal, fail, mintRefusal, Refused, RequestLog, refuse } from './say.ts';
import { forbid } from './scan.ts';
import type { BodyLength, ClientSide, UpstreamResponse, UpstreamSide } from './sides.ts';
import { carryStraight } from './straight.ts';
import { exchangeTokens, type TokenOptions } from './token-request.ts';

/** What requests to one host and port go by. */
export interface ExchangeOptions extends TokenOptions {
  readonly mints?: readonly MintRule[];
  readonly shapes?: readonly TokenShape[];
  readonly record: (entry: BrokerRecord) => void;
}

/** One request of the command, up to its one record. */
export function serve(client: ClientSide, options: ExchangeOptions): void {
  const { dialled } = options;
  const log = new RequestLog(dialled, client.head.method, options.record);
  client.body.on('error', () => undefined);
  const served = exchange(client, options, log)
    .catch((error: unknown) => {
      if (error instanceof Refused) refuse(client, error.refusal, dialled, log);
      else fail(client, error as NodeJS.ErrnoException, dialled, log);
    })
    .catch(() => client.abort()); // The client went away before it could be told.
  options.holdings.during(served);
}

async function exchange(client: ClientSide, options: ExchangeOptions, log: RequestLog): Promise<void> {
  const { dialled, upstream, mints = [] } = options;
  requireSameName(client, dialled);
  const mint = mintFor(mints, dialled, client.head);
  const body = await bodyBefore(client, options, mint);
  const signed = signedAnew(client, body?.data, options, upstream.authority);
  const swapped = withValues(signed.head, options, body);
  log.credentials = [...signed.credentials, ...swapped.credentials].map(({ name }) => name);
  try {
    if (mint?.logIn !== undefined)
      await exchangeTokens(client, { agent: mint.logIn, body, held: swapped.credentials }, options, log);
    else await sendAndAnswer(client, swapped, mint, options, log);
  } finally {
    // Not sooner: a server may answer before it has read all.
    if (swapped.body !== body?.data) swapped.body?.fill(0);
  }
}

async function sendAndAnswer(
  client: ClientSide,
  { head, body, credentials }: ReturnType<typeof withValues>,
  mint: MintRule | undefined,
  options: ExchangeOptions,
  log: RequestLog,
): Promise<void> {
  const { dialled, holdings, shapes = [] } = options;
  if (mint !== undefined && mint.fields.length === 0) throw new Refused(mintRefusal(log, mint));
  const response = await send(client, asSent(head, log.credentials.length > 0), body, options, log);
  if (mint !== undefined && response.status < 300)
    return capture(client, response, { mint, from: credentials }, holdings, log);
  // What nobody sent a credential for holds none.
  const shape = log.credentials.length === 0 ? undefined : shapeAt(shapes, dialled);
  await relay(client, response, holdings, log, shape);
}

/** A short body is looked at before anything is sent; of a long one the part that is through has been looked at. */
async function bodyBefore(
  client: ClientSide,
  { dialled: { name, port }, holdings }: ExchangeOptions,
  mint: MintRule | undefined,
): Promise<WholeBody | undefined> {
  if (!client.hasBody) return undefined;
  const { headers } = client.head;
  const [declared] = valuesOf(headers, 'content-length');
  const wantsField =
    mint?.logIn !== undefined ||
    holdings.held.some(
      ({ rule }) =>
        rule.places.some(({ kind }) => kind === 'body') && rule.hosts.some((host) => coversHost(host, name, port)),
    );
  const isShort = declared !== undefined && Number(declared) <= SMALL_BODY;
  if (!isShort && !wantsField) return undefined;
  if (client.wantsContinue) client.sendContinue();
  return { data: await readSmall(client.body), type: valuesOf(headers, 'content-type')[0] ?? '' };
}

async function send(
  client: ClientSide,
  head: Head,
  body: Buffer | undefined,
  options: ExchangeOptions,
  log: RequestLog,
): Promise<UpstreamResponse> {
  const length = lengthOf(client, body);
  if (length !== undefined && body === undefined) return sendAsItComes(client, head, length, options, log);
  const trailers = checkedTrailers(client, options);
  const { response, abort } = await options.upstream.sendWhole(head, length, client.version, (upstream) => {
    if (body !== undefined) {
      upstream.body.write(body);
      log.sent += body.length;
    }
    upstream.end(trailers);
  });
  client.onClose(abort);
  return response;
}

function lengthOf({ hasBody, head, trailers }: ClientSide, body: Buffer | undefined): BodyLength {
  // HTTP/1.1 has trailers only behind a body whose length is not said before.
  const isFollowed = () => valuesOf(head.headers, 'trailer').length > 0 || trailers().length > 0;
  if (body !== undefined) return isFollowed() ? 'chunked' : body.length;
  if (!hasBody) return ['POST', 'PUT', 'PATCH'].includes(head.method) ? 0 : undefined;
  const [declared] = valuesOf(head.headers, 'content-length');
  return declared === undefined ? 'chunked' : Number(declared);
}

async function sendAsItComes(
  client: ClientSide,
  head: Head,
  length: BodyLength,
  options: ExchangeOptions,
  log: RequestLog,
): Promise<UpstreamResponse> {
  const { holdings } = options;
  const upstream = await options.upstream.send(head, length, client.wantsContinue, client.version);
  client.onClose(() => upstream.abort());
  if (client.wantsContinue) upstream.onContinue(() => client.sendContinue());
  const watched = (count: (bytes: number) => void) =>
    forbid(holdings.placeholders, count, (label) => new Refused(bodyRefusal(holdings.held[label] as Held)));
  const straight = client.straight?.();
  const carried =
    straight === undefined
      ? carry(client.body, watched(log.count('sent')), upstream.body, OF_REQUESTS)
      : carryStraight(straight, watched(log.countStraight('sent')), upstream.body, OF_REQUESTS);
  const sending = carried.then(() => upstream.end(checkedTrailers(client, options)));
  return firstOf(upstream, sending);
}

/** A failure of the request's body ends the wait for an answer; its end doesn't. */
function firstOf(upstream: UpstreamSide, sending: Promise<void>): UpstreamSide['response'] {
  return new Promise((resolve, reject) => {
    upstream.response.then(resolve, reject);
    sending.catch((error: unknown) => {
      if (error instanceof Refused) upstream.abort();
      // A server may answer before it has read all, and close: its answer counts, if there is one.
      if (error instanceof Refused) reject(error);
      else setTimeout(reject, 1000, error).unref();
    });
  });
}
