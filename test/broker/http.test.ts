import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  ask,
  bearer,
  connected,
  type Front,
  frontOf,
  held,
  hostOf,
  http2ServerOf,
  listening,
  NAME,
  PLACEHOLDER,
  secureTo,
  serverOf,
  VALUE,
} from './support.ts';

function over2(front: Front): http2.ClientHttp2Session {
  const session = http2.connect(`https://${NAME}`, {
    createConnection: () =>
      tls.connect({ port: front.port, host: '127.0.0.1', servername: NAME, ca: front.ca, ALPNProtocols: ['h2'] }),
  });
  onTestFinished(() => session.destroy());
  return session;
}

interface Answer2 {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly trailers: http2.IncomingHttpHeaders;
  readonly body: string;
}

function ask2(session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders, body?: string): Promise<Answer2> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    const answer = { status: 0, headers: {}, trailers: {}, body: '' } as { -readonly [K in keyof Answer2]: Answer2[K] };
    stream.on('response', (fields) => Object.assign(answer, { status: fields[':status'], headers: fields }));
    stream.on('trailers', (fields) => Object.assign(answer, { trailers: fields }));
    stream.setEncoding('utf8').on('data', (text: string) => {
      answer.body += text;
    });
    stream.once('error', reject);
    stream.once('end', () => resolve(answer));
    if (body !== undefined) stream.end(body);
  });
}

describe('HTTP/2', () => {
  test('both ways: swapped, scrubbed, many at once over one connection', async () => {
    let sessions = 0;
    const port = await http2ServerOf((stream, headers) => {
      stream.respond({ ':status': 200, 'x-echo': headers.authorization ?? '' });
      stream.end(`${headers[':path']} ${headers.authorization}`);
    });
    const front = await frontOf(() => {
      sessions++;
      return connected(port);
    });
    const session = over2(front);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => ask2(session, { ':path': `/${at}`, ...bearer })),
    );
    expect(answers.map(({ body }) => body)).toEqual(
      Array.from({ length: 50 }, (_, at) => `/${at} Bearer ${'*'.repeat(VALUE.length)}`),
    );
    expect(answers[0]?.headers['x-echo']).toBe(`Bearer ${'*'.repeat(VALUE.length)}`);
    expect(sessions).toBe(1);
  });

  test('a client of HTTP/2 and a server of HTTP/1.1', async () => {
    const port = await serverOf((req, res) =>
      req.resume().on('end', () => res.end(`${req.httpVersion} ${req.headers.authorization === `Bearer ${VALUE}`}`)),
    );
    const front = await frontOf(port);
    const session = over2(front);
    expect((await ask2(session, { ':path': '/', ...bearer })).body).toBe('1.1 true');
    expect((await ask2(session, { ':path': '/', ':method': 'POST', ...bearer }, 'body')).body).toBe('1.1 true');
  });

  test('gRPC: messages both ways before either side ends, and trailers', async () => {
    const port = await http2ServerOf((stream, headers) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () =>
        stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': headers.authorization }),
      );
      stream.on('data', (chunk: Buffer) => stream.write(chunk));
      stream.on('end', () => stream.end());
    });
    const front = await frontOf(port);
    const stream = over2(front).request({
      ':path': '/a.B/C',
      ':method': 'POST',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...bearer,
    });
    const trailers = new Promise<http2.IncomingHttpHeaders>((resolve) => stream.once('trailers', resolve));
    for (const message of ['one', 'two', 'three']) {
      stream.write(message);
      expect(await new Promise((resolve) => stream.once('data', (chunk: Buffer) => resolve(chunk.toString())))).toBe(
        message,
      );
    }
    stream.end();
    expect(await trailers).toMatchObject({ 'grpc-status': '0', 'grpc-message': `Bearer ${'*'.repeat(VALUE.length)}` });
  });

  test.each([
    ['another :authority', { ':authority': 'other.test', ...bearer }],
    ['a Host beside :authority', { host: 'other.test', ...bearer }],
    ['the :path', { ':path': `/${PLACEHOLDER}` }],
    ['another header', { 'x-a': PLACEHOLDER }],
    ['twice', { 'x-a': PLACEHOLDER, ...bearer }],
  ])('refused: %s', async (_, headers) => {
    const front = await frontOf(() => Promise.reject(new Error('nothing may be dialled')));
    const answer = await ask2(over2(front), { ':path': '/', ...headers });
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('not sent');
  });

  test('refused: split over frames of data', async () => {
    const got: Buffer[] = [];
    const port = await http2ServerOf((stream) => {
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => got.push(chunk));
    });
    const front = await frontOf(port);
    const stream = over2(front).request({ ':path': '/', ':method': 'POST', ...bearer });
    const status = new Promise((resolve) => stream.once('response', (fields) => resolve(fields[':status'])));
    stream.write(`before ${PLACEHOLDER.slice(0, 7)}`);
    await new Promise((resolve) => setImmediate(resolve));
    stream.write(PLACEHOLDER.slice(7));
    expect(await status).toBe(403);
    expect(Buffer.concat(got).toString()).not.toContain('ghp_');
  });
});

describe('HTTP/1.1 as it is', () => {
  test('what a server sends piece by piece arrives piece by piece', async () => {
    const port = await serverOf((req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
      req.once('close', () => undefined);
      server.once('go', () => res.end('data: 2\n\n'));
    });
    const server = new (await import('node:events')).EventEmitter();
    const front = await frontOf(port);
    const socket = await secureTo(front);
    const pieces: string[] = [];
    await new Promise<void>((resolve, reject) => {
      http
        .get({ createConnection: () => socket, headers: { host: NAME, ...bearer } }, (res) => {
          res.setEncoding('utf8').on('data', (text: string) => {
            pieces.push(text);
            server.emit('go');
          });
          res.once('end', resolve);
        })
        .once('error', reject);
    });
    expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  test('uploads and downloads of many megabytes are whole, and neither side is read faster than the other takes it', async () => {
    const size = 64 << 20;
    const piece = randomBytes(1 << 20);
    const port = await serverOf((req, res) => {
      const hash = createHash('sha256');
      req.on('data', (chunk: Buffer) => hash.update(chunk));
      req.on('end', () => {
        res.writeHead(200, { 'x-hash': hash.digest('hex'), 'content-length': size });
        let left = size / piece.length;
        const write = () => {
          while (left-- > 0) if (!res.write(piece)) return res.once('drain', write);
          return res.end();
        };
        write();
      });
    });
    const front = await frontOf(port);
    const expected = createHash('sha256');
    for (let i = 0; i < size / piece.length; i++) expected.update(piece);
    const wanted = expected.digest('hex');
    const socket = await secureTo(front);
    const result = await new Promise<{ up: unknown; down: string }>((resolve, reject) => {
      const request = http.request(
        { createConnection: () => socket, method: 'PUT', headers: { host: NAME, 'content-length': size, ...bearer } },
        (res) => {
          const hash = createHash('sha256');
          res.on('data', (chunk: Buffer) => hash.update(chunk));
          res.once('end', () => resolve({ up: res.headers['x-hash'], down: hash.digest('hex') }));
        },
      );
      request.once('error', reject);
      let left = size / piece.length;
      const write = () => {
        while (left-- > 0) if (!request.write(piece)) return request.once('drain', write);
        return request.end();
      };
      write();
    });
    expect(result).toEqual({ up: wanted, down: wanted });
    expect(front.records[0]).toMatchObject({ sent: size, received: size });
  }, 60_000);

  test('100-continue: the server decides, and a refusal comes before any body', async () => {
    const port = await serverOf((req, res) => req.resume().once('end', () => res.end('taken')));
    const front = await frontOf(port);
    const go = async (headers: http.OutgoingHttpHeaders) => {
      const socket = await secureTo(front);
      return new Promise<string>((resolve, reject) => {
        let continued = false;
        const request = http.request(
          {
            createConnection: () => socket,
            method: 'POST',
            headers: { host: NAME, expect: '100-continue', ...headers },
          },
          (res) => {
            res
              .setEncoding('utf8')
              .once('data', (text: string) => resolve(`${continued} ${res.statusCode} ${text.slice(0, 5)}`));
          },
        );
        request.once('continue', () => {
          continued = true;
          request.end('body');
        });
        request.once('error', reject);
        request.flushHeaders();
      });
    };
    expect(await go({ ...bearer, 'content-length': 4 })).toBe('true 200 taken');
    expect(await go({ ...bearer, 'transfer-encoding': 'chunked' })).toBe('true 200 taken');
    expect(await go({ 'x-a': PLACEHOLDER, 'transfer-encoding': 'chunked' })).toBe('false 403 cordo');
  });

  test('trailers both ways, HEAD, 204, 304 and ranges', async () => {
    const port = await serverOf((req, res) => {
      req.resume().once('end', () => {
        const short = { '/204': 204, '/304': 304 }[req.url ?? ''];
        if (short !== undefined) return res.writeHead(short, { etag: '"a"' }).end();
        if (req.url === '/range')
          return res.writeHead(206, { 'content-range': 'bytes 0-4/10' }).end(req.headers.range?.slice(0, 5));
        if (req.method === 'HEAD') return res.writeHead(200, { 'content-length': 4 }).end();
        res.writeHead(200, { trailer: 'x-sum' });
        res.write('body');
        res.addTrailers({ 'x-sum': String(req.trailers['x-up']) });
        return res.end();
      });
    });
    const front = await frontOf(port);
    const readBefore = await frontOf(port, { held: [held({ as: ['authorization', 'body secret'] })] });
    const headers = { ...bearer, trailer: 'x-up' };
    for (const one of [front, readBefore])
      expect((await ask(one, { method: 'POST', headers, body: 'a', trailers: { 'x-up': '7' } })).trailers).toEqual({
        'x-sum': '7',
      });
    expect(await ask(front, { method: 'HEAD', headers: bearer })).toMatchObject({ status: 200, body: '' });
    expect(await ask(front, { path: '/204', headers: bearer })).toMatchObject({ status: 204, body: '' });
    expect(await ask(front, { path: '/304', headers: bearer })).toMatchObject({
      status: 304,
      headers: { etag: '"a"' },
    });
    expect(await ask(front, { path: '/range', headers: { range: 'bytes=0-4' } })).toMatchObject({
      status: 206,
      body: 'bytes',
    });
  });

  test('cookies stay apart, and what concerns one connection stays there', async () => {
    let got: string[] = [];
    const port = await serverOf((req, res) => {
      got = req.rawHeaders.map((one) => one.toLowerCase());
      res
        .writeHead(200, [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['connection', 'x-hop'],
          ['x-hop', '1'],
        ] as unknown as http.OutgoingHttpHeaders)
        .end();
    });
    const answer = await ask(await frontOf(port), {
      headers: { connection: 'close, x-mine', 'x-mine': '1', 'proxy-authorization': 'x', ...bearer },
    });
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(answer.headers['x-hop']).toBeUndefined();
    expect(got).not.toContain('x-mine');
    expect(got).not.toContain('proxy-authorization');
  });

  test('a smuggled second request is one that is looked at, or none', async () => {
    const seen: string[] = [];
    const port = await serverOf((req, res) =>
      req.resume().once('end', () => {
        seen.push(`${req.method} ${req.url} ${req.headers.authorization === `Bearer ${VALUE}`}`);
        res.end();
      }),
    );
    const front = await frontOf(port, { held: [held({ paths: ['/ok'] })] });
    for (const head of [
      `POST /ok HTTP/1.1\r\nHost: ${NAME}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST /ok HTTP/1.1\r\nHost: ${NAME}\r\nContent-Length: 0\r\nContent-Length: 60\r\n\r\n`,
      `POST /ok HTTP/1.1\r\nHost: ${NAME}\r\nTransfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    ]) {
      const socket = await secureTo(front);
      socket.write(`${head}GET /admin HTTP/1.1\r\nHost: ${NAME}\r\nAuthorization: Bearer ${PLACEHOLDER}\r\n\r\n`);
      await new Promise((resolve) => socket.resume().once('close', resolve));
    }
    expect(seen.filter((one) => one.includes('/admin') || one.endsWith('true'))).toEqual([]);
  });
});

describe('handshakes', () => {
  test('those that say nothing, or nonsense, or go away hold nobody up', async () => {
    const port = await serverOf((_req, res) => res.end('answered'));
    const front = await frontOf(port);
    const silent = await Promise.all(Array.from({ length: 40 }, () => connected(front.port)));
    for (const socket of silent.slice(0, 10)) socket.end('GET / HTTP/1.1\r\n\r\n');
    for (const socket of silent.slice(10, 20)) socket.resetAndDestroy();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(front, { headers: bearer })));
    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(Array(20).fill('200 answered'));
    for (const socket of silent) socket.destroy();
  });
});

describe('WebSocket', () => {
  const frame = (text: string, { code = 1, last = true, mask = true } = {}) => {
    const key = mask ? randomBytes(4) : Buffer.alloc(0);
    const data = Buffer.from(text);
    const length = data.length < 126 ? [data.length] : [126, data.length >> 8, data.length & 255];
    const head = Buffer.from([(last ? 0x80 : 0) | code, (mask ? 0x80 : 0) | (length[0] as number), ...length.slice(1)]);
    return Buffer.concat([head, key, mask ? data.map((byte, at) => byte ^ (key[at & 3] as number)) : data]);
  };

  /** A server that answers each message with itself, and says the Authorization it got. */
  async function echo(got: Buffer[]): Promise<number> {
    const port = serverOf(() => undefined);
    port.server.on('upgrade', (req, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Echo: ${req.headers.authorization}\r\n\r\n`,
      );
      const half = Math.floor(VALUE.length / 2);
      socket.write(
        Buffer.concat([
          frame(`you are ${req.headers.authorization}`, { mask: false }),
          frame(VALUE.slice(0, half), { last: false, mask: false }),
          frame('ping', { code: 9, mask: false }),
          frame(VALUE.slice(half), { code: 0, mask: false }),
        ]),
      );
      socket.on('data', (chunk: Buffer) => got.push(chunk));
      socket.on('error', () => undefined);
    });
    return port;
  }

  const upgrade = (more = `Authorization: Bearer ${PLACEHOLDER}`) =>
    `GET /chat HTTP/1.1\r\nHost: ${NAME}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n${more}\r\n\r\n`;

  async function until(socket: net.Socket, wanted: (text: string) => boolean): Promise<string> {
    let all = '';
    return new Promise((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        all += chunk.toString('latin1');
        if (wanted(all)) resolve(all);
      });
      socket.once('close', () => resolve(all));
    });
  }

  test('opens with the value, and its messages are scrubbed however they are split', async () => {
    const got: Buffer[] = [];
    const front = await frontOf(await echo(got));
    const socket = await secureTo(front);
    socket.write(upgrade());
    const end = '*'.repeat(VALUE.length - Math.floor(VALUE.length / 2));
    const text = await until(socket, (all) => all.endsWith(end) && all.includes('ping'));
    expect(text).toContain('101 Switching Protocols');
    expect(text).toContain(`you are Bearer ${'*'.repeat(VALUE.length)}`);
    expect(text).not.toContain(VALUE.slice(0, 12));
    expect(text).not.toContain(VALUE.slice(-12));
    socket.write(Buffer.concat([frame('hello '), frame('long '.repeat(100))]));
    await expect.poll(() => Buffer.concat(got).toString()).toContain('long long');
    socket.destroy();
    await expect.poll(() => front.records).toMatchObject([{ verdict: 'swapped', credentials: ['TOKEN'], status: 101 }]);
  });

  test.each([
    ['in one message', [frame(`a ${PLACEHOLDER}`)]],
    [
      'over frames',
      [
        frame(PLACEHOLDER.slice(0, 9), { last: false }),
        frame('p', { code: 9 }),
        frame(PLACEHOLDER.slice(9), { code: 0 }),
      ],
    ],
    ['in a control frame', [frame(PLACEHOLDER, { code: 9 })]],
    ['as bytes', [frame(PLACEHOLDER, { code: 2 })]],
  ])('is closed where the placeholder is said: %s', async (_, frames) => {
    const got: Buffer[] = [];
    const front = await frontOf(await echo(got));
    const socket = await secureTo(front);
    socket.write(upgrade());
    await until(socket, (all) => all.includes('you are'));
    for (const byte of Buffer.concat(frames)) socket.write(Buffer.from([byte]));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(Buffer.concat(got).toString('latin1')).not.toContain('ghp_P');
    await expect
      .poll(() => front.records)
      .toMatchObject([{ verdict: 'refused', rule: 'place', credentials: ['TOKEN'] }]);
  });

  test('a server that makes no WebSocket of it is asked and looked through as always', async () => {
    const seen: http.IncomingHttpHeaders[] = [];
    const port = await serverOf((req, res) => {
      seen.push(req.headers);
      res.writeHead(200, { 'content-encoding': 'gzip' });
      res.end(gzipSync(`you are ${req.headers.authorization}`));
    });
    const front = await frontOf(port);
    const socket = await secureTo(front);
    socket.write(upgrade(`Authorization: Bearer ${PLACEHOLDER}\r\nAccept-Encoding: gzip\r\nRange: bytes=9-10`));
    const text = await until(socket, () => false);
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(text).toContain(`you are Bearer ${'*'.repeat(VALUE.length)}`);
    expect(text).not.toMatch(/content-encoding/i);
    expect(seen).toMatchObject([{ authorization: `Bearer ${VALUE}`, 'accept-encoding': 'identity' }]);
    expect(seen[0]).not.toHaveProperty('range');
  });

  test('goes out with the method that it was allowed for', async () => {
    const front = await frontOf(() => Promise.reject(new Error('nothing may be dialled')), {
      held: [held({ methods: ['POST'] })],
    });
    const socket = await secureTo(front);
    socket.write(upgrade().replace('GET', 'POST'));
    expect(await until(socket, () => false)).toMatch(/^HTTP\/1.1 403 [\s\S]*with GET, not with POST/);
  });

  test.each([
    ['another header', upgrade(`X-A: ${PLACEHOLDER}`)],
    ['another protocol', upgrade().replace('Upgrade: websocket', 'Upgrade: h2c')],
    ['an address that hands out tokens', upgrade().replace('/chat', '/token')],
  ])('refused: %s', async (_, head) => {
    const front = await frontOf(() => Promise.reject(new Error('nothing may be dialled')), {
      mints: [{ about: 'a token', host: hostOf(NAME), methods: ['GET'], path: '/token', fields: ['token'] }],
    });
    const socket = await secureTo(front);
    socket.write(head);
    expect(await until(socket, () => false)).toMatch(/^HTTP\/1.1 403 /);
  });
});

describe('servers that fail', () => {
  const words = async (front: Front) => {
    const { status, body } = await ask(front, { headers: bearer });
    return `${status} ${body}`;
  };

  test('nobody listens', async () => {
    const server = net.createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await words(await frontOf(port))).toMatch(
      /^502 cordon: api\.example\.test:443 did not answer \(with TOKEN\): .*ECONNREFUSED/,
    );
  });

  test.each([
    ['one that nobody vouches for', undefined, NAME],
    ['one for another name', 'same', 'other.test'],
  ])('its certificate is %s: nothing is sent', async (_, trust, name) => {
    const seen: string[] = [];
    const port = await serverOf((req, res) => res.end(seen.push(req.url ?? '')), name);
    const front = await frontOf(port, trust === undefined ? { trust: [] } : {});
    expect(await words(front)).toMatch(
      /^502 cordon: nothing was sent to api\.example\.test:443 \(with TOKEN\): its certificate could not be verified/,
    );
    expect(seen).toEqual([]);
    expect(front.records).toMatchObject([{ verdict: 'failed', rule: 'unverified', credentials: ['TOKEN'] }]);
  });

  test('it says no word of TLS', async () => {
    const port = await listening(net.createServer((socket) => socket.on('error', () => undefined).end('hello\n')));
    expect(await words(await frontOf(port))).toMatch(/^502 /);
  });

  test('it breaks off in the middle: so does the answer', async () => {
    const port = await serverOf((_, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('half', () => res.socket?.destroy());
    });
    await expect(ask(await frontOf(port), { headers: bearer })).rejects.toThrow();
  });

  test('it closes a connection that was kept: asked again on a new one', async () => {
    let asked = 0;
    const port = await serverOf((req, res) => {
      asked++;
      req.resume();
      res.end('x');
      if (asked === 1) setImmediate(() => req.socket.destroy());
    });
    const front = await frontOf(port);
    for (let i = 0; i < 5; i++)
      expect((await ask(front, { method: 'POST', headers: bearer, body: 'b' })).status).toBe(200);
  });
});

describe('the TLS handshake', () => {
  test('names another host, or none', async () => {
    const front = await frontOf(() => Promise.reject(new Error('nothing may be dialled')));
    await expect(secureTo(front, { servername: 'other.test' })).rejects.toThrow();
    const socket = await new Promise<tls.TLSSocket>((resolve) => {
      const one = tls.connect({ port: front.port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(one));
    });
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(front.records).toMatchObject([
      { rule: 'name', verdict: 'refused' },
      { rule: 'name', verdict: 'refused' },
    ]);
  });

  test('agrees with clients on the cipher that takes least time, and on others with who has only those', async () => {
    const agreed: string[] = [];
    const port = await serverOf((req, res) => {
      agreed.push((req.socket as tls.TLSSocket).getCipher().name);
      res.end();
    });
    const front = await frontOf(port);
    expect((await secureTo(front)).getCipher().name).toBe('TLS_AES_128_GCM_SHA256');
    const only = 'TLS_CHACHA20_POLY1305_SHA256';
    expect((await secureTo(front, { ciphers: only })).getCipher().name).toBe(only);
    const old = await secureTo(front, { maxVersion: 'TLSv1.2' });
    expect(old.getProtocol()).toBe('TLSv1.2');
    // The server chooses: Node's own prefers 256 bits.
    expect((await ask(front)).status).toBe(200);
    expect(agreed).toEqual(['TLS_AES_256_GCM_SHA384']);
  });

  test('500 connections at once', async () => {
    const port = await serverOf((_, res) => res.end('x'));
    const front = await frontOf(port);
    const answers = await Promise.all(Array.from({ length: 500 }, () => ask(front, { headers: bearer })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }, 60_000);
});

test('clients and servers that go away at any moment end their own requests and nothing else', async () => {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const port = await serverOf((req, res) => {
    req.on('error', () => undefined).resume();
    res.on('error', () => undefined);
    const at = Number(req.url?.slice(1));
    if (at % 5 === 0) return void setTimeout(() => req.socket.destroy(), at % 7);
    res.writeHead(200, { 'x-echo': req.headers.authorization });
    res.write('some');
    return void setTimeout(() => (at % 3 === 0 ? res.destroy() : res.end('more')), at % 11);
  });
  const front = await frontOf(port);
  const bodies = [undefined, 'short', PLACEHOLDER];
  const leaving = Array.from({ length: 120 }, async (_, at) => {
    const socket = await secureTo(front, at % 2 === 0 ? { ALPNProtocols: ['h2'] } : {});
    socket.on('error', () => undefined);
    const body = bodies[at % 3];
    if (at % 2 === 0) {
      const session = http2.connect(`https://${NAME}`, { createConnection: () => socket });
      session.on('error', () => undefined);
      const stream = session.request({
        ':path': `/${at}`,
        ':method': 'POST',
        ...bearer,
        ...(at % 4 === 0 ? { expect: '100-continue' } : {}),
      });
      stream.on('error', () => undefined).resume();
      if (body !== undefined) stream.write(body);
      await wait(at % 13);
      stream.close(http2.constants.NGHTTP2_CANCEL);
      session.destroy();
    } else {
      socket.write(
        `POST /${at} HTTP/1.1\r\nHost: ${NAME}\r\nAuthorization: Bearer ${PLACEHOLDER}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n`,
      );
      await wait(at % 13);
    }
    socket.destroy();
  });
  await Promise.all(leaving);
  expect((await ask(front, { path: '/1', headers: bearer })).status).toBe(200);
});
