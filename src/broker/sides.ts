import http from 'node:http';
import http2 from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { type Head, type Header, valuesOf } from './head.ts';
import { type Straight, straightOf } from './straight.ts';

export type Version = 'http/1.1' | 'h2';

/** A request as it came in, whichever version of HTTP it came in. */
export interface ClientSide {
  readonly version: Version;
  readonly head: Head;
  /** The hosts that the request itself names. */
  readonly authorities: readonly string[];
  readonly hasBody: boolean;
  readonly body: Readable;
  /** To be asked when its body is about to be read: where it can be read without the parser. */
  readonly straight?: () => Straight | undefined;
  readonly wantsContinue: boolean;
  readonly trailers: () => readonly Header[];
  readonly sendContinue: () => void;
  readonly respond: (response: ResponseHead) => Writable;
  readonly end: (trailers: readonly Header[]) => void;
  readonly hasResponded: () => boolean;
  readonly abort: () => void;
  readonly onClose: (act: () => void) => void;
}

export interface ResponseHead {
  readonly status: number;
  readonly message?: string | undefined;
  readonly headers: readonly Header[];
}

export interface UpstreamResponse extends ResponseHead {
  readonly body: Readable;
  readonly straight?: () => Straight | undefined;
  readonly trailers: () => readonly Header[];
}

/** The same request on its way out. */
export interface UpstreamSide {
  readonly body: Writable;
  readonly response: Promise<UpstreamResponse>;
  readonly onContinue: (act: () => void) => void;
  readonly end: (trailers: readonly Header[]) => void;
  readonly abort: () => void;
  /** The connection had been used before: the server may have closed it meanwhile. */
  readonly wasReused: () => boolean;
}

/** What concerns one connection only, and is made anew on the other. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te transfer-encoding upgrade http2-settings expect'.split(
    ' ',
  ),
);

export function pairsOf(raw: readonly string[]): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, at): Header => [raw[2 * at] as string, raw[2 * at + 1] as string]);
}

/** Without what concerns the connection; what `Connection` names is such too. */
export function endToEnd(headers: readonly Header[]): Header[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !HOP_BY_HOP.has(lower) && !named.includes(lower) && !lower.startsWith(':');
  });
}

const flat = (headers: readonly Header[]): string[] => headers.flat();

export function clientOfHttp1(req: http.IncomingMessage, res: http.ServerResponse, wantsContinue: boolean): ClientSide {
  const headers = pairsOf(req.rawHeaders);
  let isStraight = false;
  return {
    version: 'http/1.1',
    head: { method: req.method ?? '', target: req.url ?? '', headers },
    authorities: valuesOf(headers, 'host'),
    hasBody: 'transfer-encoding' in req.headers || Number(req.headers['content-length'] ?? 0) > 0,
    body: req,
    straight: () => {
      const straight = straightOf(req);
      isStraight = straight !== undefined;
      return straight;
    },
    wantsContinue,
    trailers: () => pairsOf(req.rawTrailers),
    sendContinue: () => res.writeContinue(),
    respond: ({ status, message, headers }) => {
      // The parser did not see where its body ended.
      res.writeHead(status, message, flat(isStraight ? [...headers, ['connection', 'close']] : headers));
      return res;
    },
    end: (trailers) => {
      if (trailers.length > 0) res.addTrailers(trailers.map(([name, value]) => [name, value]) as [string, string][]);
      res.end();
    },
    hasResponded: () => res.headersSent,
    abort: () => req.socket.destroy(),
    onClose: (act) => res.once('close', act),
  };
}

export function clientOfHttp2(stream: http2.ServerHttp2Stream, raw: readonly string[], ends: boolean): ClientSide {
  const all = pairsOf(raw);
  const pseudo = (name: string) => valuesOf(all, name);
  let received: readonly Header[] = [];
  let sent: readonly Header[] = [];
  stream.on('trailers', (_headers: unknown, _flags: number, rawTrailers: string[]) => {
    received = pairsOf(rawTrailers);
  });
  stream.on('wantTrailers', () => {
    if (!stream.destroyed) stream.sendTrailers(joined(sent));
  });
  return {
    version: 'h2',
    head: {
      method: pseudo(':method')[0] ?? '',
      target: pseudo(':path')[0] ?? '',
      headers: all.filter(([name]) => !name.startsWith(':')),
    },
    authorities: [...pseudo(':authority'), ...pseudo('host')],
    hasBody: !ends,
    body: stream,
    wantsContinue: valuesOf(all, 'expect').some((value) => value.toLowerCase() === '100-continue'),
    trailers: () => received,
    sendContinue: () => {
      if (!stream.destroyed && !stream.headersSent) stream.additionalHeaders({ ':status': 100 });
    },
    respond: ({ status, headers }) => {
      stream.respond({ ':status': status, ...joined(headers) }, { waitForTrailers: true });
      return stream;
    },
    end: (trailers) => {
      sent = trailers;
      stream.end();
    },
    hasResponded: () => stream.headersSent,
    abort: () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
    onClose: (act) => stream.once('close', act),
  };
}

/** As Node's HTTP/2 takes them: small letters, a list where a name occurs more than once. */
function joined(headers: readonly Header[]): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const before = result[lower];
    result[lower] = before === undefined ? value : [before, value].flat();
  }
  return result;
}

export interface SendTo {
  readonly name: string;
  readonly port: number;
  /** A plan for one connection; undefined: of its own. */
  readonly agent: http.Agent;
}

/** `body`: how long it is, `chunked` where nobody knows, undefined where there is none. */
export type BodyLength = number | 'chunked' | undefined;

export function sendByHttp1(
  head: Head,
  length: BodyLength,
  expect: boolean,
  { name, port, agent }: SendTo,
): UpstreamSide {
  const headers = [
    ['Host', port === 443 || port === 80 ? name : `${name}:${port}`] as const,
    ...endToEnd(head.headers).filter(([one]) => !['host', 'content-length'].includes(one.toLowerCase())),
    ...(length === 'chunked' ? [['Transfer-Encoding', 'chunked'] as const] : []),
    ...(typeof length === 'number' ? [['Content-Length', String(length)] as const] : []),
    ...(expect ? [['Expect', '100-continue'] as const] : []),
    ['Connection', 'keep-alive'] as const,
  ];
  const request = http.request({
    agent,
    method: head.method,
    path: head.target,
    headers: flat(headers),
    setHost: false,
  });
  const response = new Promise<UpstreamResponse>((resolve, reject) => {
    request.on('error', reject);
    request.on('upgrade', (_res, socket) => {
      socket.destroy();
      reject(new Error('the server changed the protocol, which nobody asked for'));
    });
    request.once('response', (incoming) => resolve(responseOfHttp1(incoming, head.method)));
  });
  response.catch(() => undefined);
  return {
    body: request,
    response,
    onContinue: (act) => request.once('continue', act),
    end: (trailers) => {
      if (trailers.length > 0)
        request.addTrailers(trailers.map(([name, value]) => [name, value]) as [string, string][]);
      request.end();
    },
    abort: () => request.destroy(),
    wasReused: () => request.reusedSocket,
  };
}

export function responseOfHttp1(incoming: http.IncomingMessage, method: string): UpstreamResponse {
  const hasBody = method !== 'HEAD' && incoming.statusCode !== 204 && incoming.statusCode !== 304;
  return {
    status: incoming.statusCode ?? 502,
    message: incoming.statusMessage,
    headers: pairsOf(incoming.rawHeaders),
    body: incoming,
    straight: () => (hasBody ? straightOf(incoming) : undefined),
    trailers: () => pairsOf(incoming.rawTrailers),
  };
}

export function sendByHttp2(
  head: Head,
  length: BodyLength,
  expect: boolean,
  session: http2.ClientHttp2Session,
  authority: string,
): UpstreamSide {
  const headers = endToEnd(head.headers).filter(([name]) => !['host', 'content-length'].includes(name.toLowerCase()));
  let sent: readonly Header[] = [];
  let received: readonly Header[] = [];
  const stream = session.request(
    {
      ':method': head.method,
      ':path': head.target,
      ':scheme': 'https',
      ':authority': authority,
      ...joined(headers),
      ...(valuesOf(head.headers, 'te').includes('trailers') ? { te: 'trailers' } : {}),
      ...(typeof length === 'number' ? { 'content-length': String(length) } : {}),
      ...(expect ? { expect: '100-continue' } : {}),
    },
    { endStream: length === undefined, waitForTrailers: length !== undefined },
  );
  stream.on('wantTrailers', () => {
    if (!stream.destroyed) stream.sendTrailers(joined(sent));
  });
  stream.on('trailers', (_headers: unknown, _flags: number, raw?: string[]) => {
    received = pairsOf(raw ?? []);
  });
  const response = new Promise<UpstreamResponse>((resolve, reject) => {
    stream.on('error', reject);
    stream.once('close', () => reject(new Error('the server closed the stream without an answer')));
    stream.once('response', (fields, _flags, raw?: string[]) => {
      const all =
        raw === undefined ? Object.entries(fields).map(([name, value]): Header => [name, String(value)]) : pairsOf(raw);
      resolve({
        status: Number(fields[':status']),
        headers: all.filter(([name]) => !name.startsWith(':')),
        body: stream,
        trailers: () => received,
      });
    });
  });
  response.catch(() => undefined);
  return {
    body: stream,
    response,
    onContinue: (act) => stream.once('continue', act),
    end: (trailers) => {
      sent = trailers;
      stream.end();
    },
    abort: () => stream.close(http2.constants.NGHTTP2_CANCEL),
    wasReused: () => false,
  };
}
