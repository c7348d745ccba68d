import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerTo, readQuestion } from '../../src/network/dns.ts';
import { readHello } from '../../src/network/hello.ts';
import { Names } from '../../src/network/names.ts';
import { isNamed, passOn } from '../../src/network/relay.ts';
import { looksLikeHttp, RefusedRequest, Requests } from '../../src/network/requests.ts';

const query = (name: string, type = 1, more = Buffer.alloc(0)) =>
  Buffer.concat([
    Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, more.length > 0 ? 1 : 0]),
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0, type >> 8, type & 255, 0, 1]),
    more,
  ]);

describe('questions to the resolver', () => {
  it('are read, with or without EDNS', () => {
    const edns = Buffer.from([0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0]);
    for (const packet of [query('Api.Example.com'), query('Api.Example.com', 1, edns)])
      expect(readQuestion(packet)).toMatchObject({ name: 'Api.Example.com', type: 1, id: 0x1234 });
  });

  it('an answer names the address, the absence of the name, or nothing of this type', () => {
    const ask = (type: number, answer: Parameters<typeof answerTo>[2]) => {
      const packet = query('a.test', type);
      return answerTo(packet, readQuestion(packet), answer) as Buffer;
    };
    const found = ask(1, { address: '127.128.0.1' });
    expect([found.readUInt16BE(2) & 15, found.readUInt16BE(6), [...found.subarray(-4)]]).toEqual([
      0,
      1,
      [127, 128, 0, 1],
    ]);
    expect([ask(1, 'no such name').readUInt16BE(2) & 15, ask(28, { address: '127.128.0.1' }).readUInt16BE(6)]).toEqual([
      3, 0,
    ]);
  });

  it.each([
    ['an answer', Buffer.from([0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1])],
    ['two questions', Buffer.from([0, 1, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1])],
    ['a pointer', Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1])],
    [
      'a name that never ends',
      Buffer.concat([Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]), Buffer.alloc(600, 1)]),
    ],
    ['half a question', query('a.test').subarray(0, -2)],
    ['nothing', Buffer.alloc(0)],
  ])('%s is none', (_what, packet) => {
    expect(readQuestion(packet)).toMatchObject({ malformed: true });
  });

  it('no packet breaks the reader, and every answer is one to the same question', () => {
    const mutated = fc
      .tuple(fc.domain(), fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 6 }), fc.nat(80))
      .map(([name, changes, length]) => {
        const packet = query(name);
        for (const [at, value] of changes) if (at < packet.length) packet[at] = value;
        return packet.subarray(0, length);
      });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
          mutated,
        ),
        (packet) => {
          const question = readQuestion(packet);
          const answer = answerTo(packet, question, { address: '127.128.0.1' });
          if (answer !== undefined) expect(answer.readUInt16BE(0)).toBe(packet.readUInt16BE(0));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('each name has one address, and there is an end to them', () => {
    const names = new Names(300);
    const given = Array.from({ length: 300 }, (_, i) => names.addressFor(`h${i}.test`));
    expect(new Set(given).size).toBe(300);
    expect([names.addressFor('h7.test'), names.nameOf(given[7] as string)]).toEqual([given[7], 'h7.test']);
    expect([names.addressFor('one-more.test'), names.nameOf('127.0.0.1')]).toEqual([undefined, undefined]);
    expect(given.every((address) => /^127\.128\./.test(address ?? ''))).toBe(true);
  });
});

/** A ClientHello that asks for this name, in records of at most so many bytes. */
function helloFor(names: readonly string[], record = 16_384, more = Buffer.alloc(0)): Buffer {
  const sized = (bytes: Buffer, width: number) => {
    const length = Buffer.alloc(width);
    length.writeUIntBE(bytes.length, 0, width);
    return Buffer.concat([length, bytes]);
  };
  const extension = (name: string) => {
    const list = Buffer.concat([Buffer.from([0]), sized(Buffer.from(name, 'latin1'), 2)]);
    return Buffer.concat([Buffer.from([0, 0]), sized(sized(list, 2), 2)]);
  };
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0, 0, 2, 0x13, 1, 1, 0]),
    sized(Buffer.concat([...names.map(extension), more]), 2),
  ]);
  const message = Buffer.concat([Buffer.from([1]), sized(body, 3)]);
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += record)
    parts.push(Buffer.from([22, 3, 1]), sized(message.subarray(at, at + record), 2));
  return Buffer.concat(parts);
}

describe('what a TLS client asks for', () => {
  it('is found however its hello is cut into records', () => {
    for (const size of [1, 5, 40, 16_384])
      expect(readHello(helloFor(['Api.Example.com.'], size))).toEqual({ kind: 'hello', name: 'api.example.com' });
    expect(readHello(helloFor([]))).toEqual({ kind: 'hello', name: undefined });
    expect(readHello(helloFor(['a.test', 'b.test'])).kind).toBe('bad');
    expect(readHello(helloFor(['a.test']).subarray(0, 50)).kind).toBe('more');
  });

  it('no bytes break the reader', () => {
    const whole = helloFor(['a.test']);
    const changed = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 }).map((changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
    fc.assert(
      fc.property(
        fc.oneof(
          changed,
          fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        ),
        (bytes) => {
          expect(['more', 'bad', 'hello']).toContain(readHello(bytes).kind);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

const through = (parts: readonly (string | Buffer)[], name = 'a.test', port = 80) =>
  new Promise<string>((resolve, reject) => {
    const [client, server] = [new PassThrough(), new PassThrough()];
    const out: Buffer[] = [];
    server.on('data', (bytes: Buffer) => out.push(bytes));
    server.on('end', () => resolve(Buffer.concat(out).toString('latin1')));
    passOn(client, server, { name, port, headBytes: 4096, beginMs: 30_000 }, reject);
    for (const part of parts) client.write(part);
    client.end();
  });

describe('what a client may say to the host it dialled', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';
  const POST = 'POST /x HTTP/1.1\r\nHost: a.test:80\r\nContent-Length: 5\r\n\r\nhello';
  const CHUNKS = 'POST / HTTP/1.1\r\nHost: A.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';

  it.each([
    ['requests one after the other', [GET + POST + CHUNKS + GET]],
    ['byte by byte', [...(POST + CHUNKS + GET)]],
    [
      'a WebSocket',
      ['GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n\r\n', 'GET / HTTP/1.1\r\nHost: b.test\r\n\r\n'],
    ],
    ['absolute form for the same host', ['GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n']],
  ])('%s goes through as it is', async (_what, parts) => {
    expect(await through(parts)).toBe(parts.join(''));
  });

  it.each([
    ['another protocol', ['*1\r\n$4\r\nPING\r\n']],
    ['a word that looks like a method', ['SET a b\r\nGET a\r\n']],
    ['little', ['GE']],
    ['HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ])('%s goes through as it is at a port of its own, and not at that of HTTP', async (_what, parts) => {
    expect(await through(parts, 'a.test', 6379)).toBe(parts.join(''));
    await expect(through(parts)).rejects.toBeInstanceOf(RefusedRequest);
  });

  const OTHER = GET.replace('a.test', 'b.test');

  it.each([
    ['blank lines before it', `\r\n${OTHER}`],
    ['a bare line feed before it', `\n${OTHER}`],
    ['a method in small letters', OTHER.replace('GET', 'get')],
    ['another version', OTHER.replace('1.1', '1.2')],
    ['a first line without an end to it', OTHER.replace('/ ', `/${'x'.repeat(9000)} `)],
    ['spaces behind the version', OTHER.replace('1.1\r', '1.1 \r')],
  ])('another Host behind %s is refused, at every port', async (_what, said) => {
    for (const port of [80, 8080]) await expect(through([said], 'a.test', port)).rejects.toBeInstanceOf(RefusedRequest);
  });

  it.each([
    ['another Host', GET.replace('a.test', 'b.test')],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two', 'GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n'],
    ['another port', GET.replace('a.test', 'a.test:8080')],
    ['another Host in a second request', GET + GET.replace('a.test', 'b.test')],
    ['one behind a body', POST + GET.replace('a.test', 'b.test')],
    ['one behind chunks', CHUNKS + GET.replace('a.test', 'b.test')],
    ['two lengths', POST.replace('Content-Length: 5', 'Content-Length: 5\r\nContent-Length: 0')],
    ['a length and chunks', POST.replace('Content-Length: 5', 'Content-Length: 5\r\nTransfer-Encoding: chunked')],
    ['a coding that others read differently', CHUNKS.replace('chunked', 'xchunked')],
    ['a folded header', 'GET / HTTP/1.1\r\nHost: a.test\r\n X: y\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a.test\r\n\r\n'],
    ['a chunk that is longer than it says', CHUNKS.replace('5\r\nhello', '4\r\nhello')],
    ['extensions of a chunk', CHUNKS.replace('5\r\n', '5;x=y\r\n')],
    ['absolute form for another host', 'GET http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    ['CONNECT', 'CONNECT b.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    ['a head that does not end', `GET / HTTP/1.1\r\nHost: a.test\r\nX: ${'y'.repeat(9000)}`],
  ])('%s is refused', async (_what, said) => {
    await expect(through([said])).rejects.toBeInstanceOf(RefusedRequest);
  });

  it('on 443 only TLS that names the host; elsewhere TLS may name none', async () => {
    await expect(through([helloFor(['a.test'])], 'a.test', 443)).resolves.toBeDefined();
    await expect(through([helloFor([])], 'a.test', 8443)).resolves.toBeDefined();
    for (const bytes of [helloFor(['b.test']), helloFor([]), Buffer.from(GET), Buffer.from('SSH-2.0-x\r\n')])
      await expect(through([bytes], 'a.test', 443)).rejects.toBeInstanceOf(RefusedRequest);
    await expect(through([helloFor(['b.test'])], 'a.test', 8443)).rejects.toBeInstanceOf(RefusedRequest);
  });

  it('however requests are cut, the same is let through', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(GET, POST, CHUNKS), { maxLength: 6 }),
        fc.array(fc.nat(300)),
        (all, cuts) => {
          const said = Buffer.from(all.join(''));
          const places = [...new Set([0, ...cuts.filter((at) => at < said.length), said.length])].toSorted(
            (a, b) => a - b,
          );
          const requests = new Requests((host) => isNamed(host, 'a.test', 80), 4096);
          const sent = places.slice(1).map((end, i) => requests.take(said.subarray(places[i], end)));
          expect(Buffer.concat(sent).toString()).toBe(said.toString());
        },
      ),
    );
    expect([looksLikeHttp(Buffer.from('GET / HT')), looksLikeHttp(Buffer.from('\0\0'))]).toEqual([undefined, false]);
  });
});
