import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { describe, expect, test } from 'vitest';
import { bearer, type Front, frontOf, NAME, PLACEHOLDER, secureTo, serverOf, VALUE } from './support.ts';

/** Long enough to be read from its connection itself (src/broker/straight.ts). */
const SIZE = 40 << 20;
const sha = (data: Buffer) => createHash('sha256').update(data).digest('hex');
const mebibyte = randomBytes(1 << 20);
const whole = Buffer.concat(Array.from({ length: SIZE >> 20 }, () => mebibyte));

/** In other places of records and buffers each time. */
const PLACES = [0, 5, 16_380, 65_530, 114_680, 131_060, 196_600, 1_000_003, SIZE - VALUE.length];

function withAll(texts: readonly string[]): Buffer {
  const data = Buffer.from(whole);
  for (const [at, place] of PLACES.entries()) data.write(texts[at % texts.length] as string, place, 'latin1');
  return data;
}

interface Got {
  readonly status: number;
  readonly connection: string | undefined;
  readonly body: Buffer;
}

/** Piece by piece, with `wait` before each is read. */
async function got(front: Front, path: string, sent?: Buffer, wait?: (at: number) => Promise<void>): Promise<Got> {
  const socket = await secureTo(front);
  return new Promise((resolve, reject) => {
    const length = sent === undefined ? {} : { 'content-length': sent.length };
    const request = http.request({
      createConnection: () => socket,
      method: sent === undefined ? 'GET' : 'POST',
      path,
      headers: { host: NAME, ...bearer, ...length },
    });
    request.once('error', reject);
    request.once('response', async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) {
          chunks.push(chunk);
          await wait?.(chunks.length);
        }
        const { statusCode: status = 0, headers } = response;
        resolve({ status, connection: headers.connection, body: Buffer.concat(chunks) });
      } catch (error) {
        reject(error as Error);
      }
    });
    request.end(sent);
  });
}

const answering = (data: Buffer) =>
  serverOf((_req, res) => {
    res.writeHead(200, { 'content-length': data.length }).end(data);
  });

describe('a long answer', () => {
  test('arrives as it was sent, to one who reads slowly too, and the next is asked for as always', async () => {
    const front = await frontOf(await answering(whole));
    const slowly = (at: number) => new Promise<void>((resolve) => setTimeout(resolve, at % 64 === 0 ? 1 : 0));
    for (const wait of [undefined, slowly]) {
      const { status, body } = await got(front, '/', undefined, wait);
      expect([status, body.length, sha(body)]).toEqual([200, SIZE, sha(whole)]);
    }
    expect(front.records.map(({ verdict, received }) => [verdict, received])).toEqual([
      ['swapped', SIZE],
      ['swapped', SIZE],
    ]);
  });

  test('is without values, wherever they stand and in whatever form', async () => {
    const value = Buffer.from(VALUE);
    for (const form of [VALUE, value.toString('hex'), encodeURIComponent(VALUE), value.toString('base64')]) {
      const data = withAll([form]);
      const front = await frontOf(await answering(data.subarray(0, SIZE)));
      const { body } = await got(front, '/');
      expect(body.length).toBe(SIZE);
      expect(body.includes(form)).toBe(false);
      // Nothing else of it was touched.
      for (let at = 0; at < SIZE; at++) if (body[at] !== data[at]) expect(body[at]).toBe(0x2a);
    }
  });

  test('that breaks off breaks off', async () => {
    const port = await serverOf((_req, res) => {
      res.writeHead(200, { 'content-length': SIZE });
      res.write(whole.subarray(0, SIZE / 2), () => res.destroy());
    });
    const front = await frontOf(port);
    await expect(got(front, '/')).rejects.toThrow();
    expect(front.records.map(({ verdict }) => verdict)).toEqual(['failed']);
  });

  test('of which the server sends more than it said ends where it said', async () => {
    const port = await serverOf((req, res) => {
      res.writeHead(200, { 'content-length': SIZE });
      res.write(whole, () => req.socket.write(`HTTP/1.1 200 OK\r\n\r\n${VALUE}`));
    });
    const { body } = await got(await frontOf(port), '/');
    expect([body.length, sha(body)]).toEqual([SIZE, sha(whole)]);
  });

  test('to a question about its head alone has no body', async () => {
    const front = await frontOf(await serverOf((_req, res) => res.writeHead(200, { 'content-length': SIZE }).end()));
    const socket = await secureTo(front);
    const [status, length] = await new Promise<unknown[]>((resolve, reject) => {
      const request = http.request({ createConnection: () => socket, method: 'HEAD', headers: { host: NAME } });
      request.once('error', reject);
      request.once('response', (response) => {
        response.resume().once('end', () => resolve([response.statusCode, response.headers['content-length']]));
      });
      request.end();
    });
    expect([status, length]).toEqual([200, String(SIZE)]);
  });
});

describe('a long upload', () => {
  const receiving = (seen: { hash?: string; size: number }) =>
    serverOf((req, res) => {
      const hash = createHash('sha256');
      req.on('error', () => undefined);
      req.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        seen.size += chunk.length;
      });
      req.once('end', () => {
        seen.hash = hash.digest('hex');
        res.end('thank you');
      });
    });

  test('arrives as it was sent, and its connection is used for nothing more', async () => {
    const seen = { size: 0 } as { hash?: string; size: number };
    const front = await frontOf(await receiving(seen));
    const { status, connection, body } = await got(front, '/', whole);
    expect([status, connection, String(body)]).toEqual([200, 'close', 'thank you']);
    expect(seen).toEqual({ size: SIZE, hash: sha(whole) });
    expect(front.records).toMatchObject([{ verdict: 'swapped', sent: SIZE }]);
  });

  test.each(PLACES.slice(0, -1))('with a placeholder at %i is not sent on from there', async (place) => {
    const seen = { size: 0 } as { hash?: string; size: number };
    const front = await frontOf(await receiving(seen));
    const data = Buffer.from(whole);
    data.write(Buffer.from(PLACEHOLDER).toString('base64'), place, 'latin1');
    // It may be told, or find the connection closed while it still writes.
    const answer = await got(front, '/', data).catch(() => undefined);
    if (answer !== undefined) expect(answer.status).toBe(403);
    expect(front.records).toMatchObject([{ verdict: 'refused', rule: 'place' }]);
    expect(seen.hash).toBeUndefined();
    expect(seen.size).toBeLessThanOrEqual(place);
  });

  test('of one who goes away ends with it', async () => {
    const seen = { size: 0 } as { hash?: string; size: number };
    const front = await frontOf(await receiving(seen));
    const socket = await secureTo(front);
    const head = `POST / HTTP/1.1\r\nHost: ${NAME}\r\nContent-Length: ${SIZE}\r\n\r\n`;
    const gone = new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (front.records.length === 0) return;
        clearInterval(look);
        resolve();
      }, 10);
    });
    socket.write(Buffer.concat([Buffer.from(head), whole.subarray(0, SIZE / 2)]), () => socket.destroy());
    await gone;
    expect(front.records).toMatchObject([{ verdict: 'failed' }]);
    expect(seen.hash).toBeUndefined();
  });

  test('that is followed by another request gets one answer', async () => {
    const seen = { size: 0 } as { hash?: string; size: number };
    const front = await frontOf(await receiving(seen));
    const socket = await secureTo(front);
    const head = `POST / HTTP/1.1\r\nHost: ${NAME}\r\nContent-Length: ${SIZE}\r\n\r\n`;
    const said = new Promise<string>((resolve) => {
      let text = '';
      socket.setEncoding('latin1').on('data', (more: string) => {
        text += more;
      });
      socket.on('error', () => undefined).once('close', () => resolve(text));
    });
    socket.write(
      Buffer.concat([Buffer.from(head), whole, Buffer.from(`GET /second HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`)]),
    );
    expect((await said).match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(front.records).toHaveLength(1);
  });
});
