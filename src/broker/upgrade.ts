import http from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExchangeOptions } from './exchange.ts';
import { type Head, type Header, type RequestRefusal, valuesOf } from './head.ts';
import type { Held } from './held.ts';
import type { Holdings } from './holdings.ts';
import { mintFor } from './mint.ts';
import { shapeAt } from './new-tokens.ts';
import { asSent, requireSameName, withValues } from './outgoing.ts';
import type { RealServer } from './real-server.ts';
import { carryMasked, decoderOf } from './response.ts';
import { bodyRefusal, failureText, mintRefusal, Refused, RequestLog, refusalText, refuseRaw, ruleOf } from './say.ts';
import { masked, type Needles } from './scan.ts';
import { endToEnd, pairsOf, responseOfHttp1, type UpstreamResponse } from './sides.ts';
import { frameStream } from './websocket.ts';

/** A request for a WebSocket, up to its one record; nothing else is changed to. */
export function upgrade(req: http.IncomingMessage, socket: Duplex, first: Buffer, options: ExchangeOptions): void {
  const { dialled } = options;
  const log = new RequestLog(dialled, req.method ?? 'GET', options.record);
  socket.on('error', () => socket.destroy());
  const passed = exchangeMessages(req, socket, first, options, log).catch((error: unknown) => {
    if (error instanceof Refused) {
      log.refused(error.refusal);
      refuseRaw(socket, refusalText(error.refusal, dialled));
      return;
    }
    const failure = error as NodeJS.ErrnoException;
    log.write('failed', { rule: ruleOf(failure), reason: failure.message });
    refuseRaw(socket, failureText(failure, dialled, log), 502);
  });
  options.holdings.during(passed);
}

async function exchangeMessages(
  req: http.IncomingMessage,
  socket: Duplex,
  first: Buffer,
  options: ExchangeOptions,
  log: RequestLog,
): Promise<void> {
  const { holdings } = options;
  const head = headOf(req, options, log);
  const { response, server, early } = await opened(head, req, options.upstream);
  log.status = response.status;
  if (server === undefined) {
    const shape = log.credentials.length === 0 ? undefined : shapeAt(options.shapes ?? [], options.dialled);
    await relayRaw(response, socket, holdings, log, shape);
    return;
  }
  socket.write(rawHead(response, holdings.values));
  for (const one of [socket, server]) one.setMaxListeners(32); // Two pipelines listen to each.
  let refusal: RequestRefusal | undefined;
  const out = frameStream({
    needles: holdings.placeholders,
    masked: true,
    onData: log.count('sent'),
    onFound: (label) => {
      refusal = {
        ...bodyRefusal(holdings.held[label] as Held),
        reason: 'it stands in a message of a WebSocket, where it is never sent on',
      };
      return 'stop';
    },
  });
  const back = frameStream({
    needles: holdings.values,
    masked: false,
    onData: log.count('received'),
    onFound: () => 'mask',
  });
  if (first.length > 0) out.write(first);
  if (early.length > 0) back.write(early);
  await Promise.allSettled([pipeline(socket, out, server), pipeline(server, back, socket)]);
  socket.destroy();
  server.destroy();
  if (refusal === undefined) log.passed();
  else log.refused(refusal);
}

/** The request as it goes out, or a refusal. */
function headOf(req: http.IncomingMessage, options: ExchangeOptions, log: RequestLog): Head {
  const { dialled, mints = [] } = options;
  const headers = pairsOf(req.rawHeaders);
  const no = (reason: string, hint: string) => new Refused({ refused: 'upgrade', credential: '', reason, hint });
  if ((req.headers.upgrade ?? '').toLowerCase() !== 'websocket')
    throw no(`a change to ${req.headers.upgrade} can't be looked through`, 'use plain HTTP or a WebSocket');
  const head = { method: req.method ?? 'GET', target: req.url ?? '/', headers };
  requireSameName({ head, authorities: valuesOf(headers, 'host') }, dialled);
  // It goes out as GET: what is asked for in another way would be allowed for that way.
  if (head.method !== 'GET')
    throw no(`a WebSocket is asked for with GET, not with ${head.method}`, 'use GET, or leave out Upgrade');
  const swapped = withValues(head, options);
  log.credentials = swapped.credentials.map(({ name }) => name);
  // A server that makes no WebSocket of it answers as it would have otherwise.
  const mint = mintFor(mints, dialled, head);
  if (mint !== undefined) throw new Refused(mintRefusal(log, mint));
  return asSent(swapped.head, swapped.credentials.length > 0);
}

interface Opened {
  readonly response: UpstreamResponse;
  /** Undefined where the server makes no WebSocket of it. */
  readonly server: Duplex | undefined;
  readonly early: Buffer;
}

function opened(head: Head, req: http.IncomingMessage, { agent, authority }: RealServer): Promise<Opened> {
  const drop = new Set(['host', 'sec-websocket-extensions', 'content-length']);
  const kept = endToEnd(head.headers).filter(([name]) => !drop.has(name.toLowerCase()));
  const headers: Header[] = [['Host', authority], ...kept, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']];
  return new Promise((resolve, reject) => {
    const request = http.request({
      agent,
      method: 'GET',
      path: head.target,
      headers: headers.flat(),
      setHost: false,
    });
    const done = (incoming: http.IncomingMessage, server: Duplex | undefined, early: Buffer) =>
      resolve({ response: responseOfHttp1(incoming, 'GET'), server, early });
    req.socket.once('close', () => request.destroy());
    request.once('error', reject);
    request.once('upgrade', done);
    request.once('response', (incoming) => done(incoming, undefined, Buffer.alloc(0)));
    request.end();
  });
}

/** An ordinary answer to who asked for a WebSocket. */
async function relayRaw(
  response: UpstreamResponse,
  socket: Duplex,
  holdings: Holdings,
  log: RequestLog,
  shape: string | undefined,
): Promise<void> {
  const decoder = decoderOf(response);
  socket.write(rawHead(response, holdings.values, decoder !== undefined));
  await carryMasked(response, decoder, holdings, log, socket, shape);
  socket.end();
  log.passed();
}

function rawHead({ status, message = '', headers }: UpstreamResponse, values: Needles, isDecoded = false): string {
  const isUpgrade = status === 101;
  const dropped = ['connection', 'transfer-encoding', 'content-length', 'keep-alive'];
  if (isDecoded) dropped.push('content-encoding');
  const kept = headers.filter(([name]) => isUpgrade || !dropped.includes(name.toLowerCase()));
  return [
    `HTTP/1.1 ${status} ${masked(values, message)}`,
    ...kept.map(([name, value]) => `${name}: ${masked(values, value)}`),
    ...(isUpgrade ? [] : ['Connection: close']),
    '',
    '',
  ].join('\r\n');
}
