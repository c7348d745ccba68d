import type http from 'node:http';
import { describe, expect, test } from 'vitest';
import { ask, basic, bearer, frontOf, held, NAME, PLACEHOLDER, serverOf, VALUE } from './support.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A server that remembers what it got. */
async function remembering(
  answer: (seen: Seen) => { status?: number; headers?: http.OutgoingHttpHeaders; body?: string } = () => ({}),
) {
  const seen: Seen[] = [];
  const port = await serverOf((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('end', () => {
      const one = {
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(one);
      const { status = 200, headers = {}, body = 'fine' } = answer(one);
      res.writeHead(status, headers).end(body);
    });
  });
  return { port, seen };
}

describe('swapped', () => {
  test.each([
    ['Bearer', `Bearer ${PLACEHOLDER}`, `Bearer ${VALUE}`],
    ['token', `token ${PLACEHOLDER}`, `token ${VALUE}`],
    ['bare', PLACEHOLDER, VALUE],
    ['Basic as password', basic(`x-access-token:${PLACEHOLDER}`), basic(`x-access-token:${VALUE}`)],
    ['Basic as user', basic(`${PLACEHOLDER}:x-oauth-basic`), basic(`${VALUE}:x-oauth-basic`)],
    ['basic in small letters', basic(`:${PLACEHOLDER}`).replace('Basic', 'basic'), basic(`:${VALUE}`)],
  ])('in the Authorization header: %s', async (_, sent, expected) => {
    const { port, seen } = await remembering();
    const front = await frontOf(port);
    const { status } = await ask(front, { headers: { authorization: sent } });
    expect(status).toBe(200);
    expect(seen[0]?.headers.authorization).toBe(expected);
    expect(front.records).toMatchObject([
      { host: NAME, port: 443, method: 'GET', credentials: ['TOKEN'], verdict: 'swapped', status: 200 },
    ]);
    expect(JSON.stringify(front.records)).not.toContain(VALUE);
  });

  test('in a header, a query parameter and a field of a body that were declared', async () => {
    const { port, seen } = await remembering();
    const front = await frontOf(port, {
      held: [held({ as: ['header x-api-key', 'query key', 'body client.secret', 'body secret'] })],
    });
    await ask(front, { headers: { 'X-Api-Key': PLACEHOLDER } });
    await ask(front, { path: `/v1?a=1&key=${PLACEHOLDER}&b=2` });
    const json = JSON.stringify({ client: { secret: PLACEHOLDER, id: 'ä' } });
    await ask(front, { method: 'POST', headers: { 'content-type': 'application/json' }, body: json });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await ask(front, { method: 'POST', headers: form, body: `id=1&secret=${PLACEHOLDER}` });
    expect(seen[0]?.headers['x-api-key']).toBe(VALUE);
    expect(seen[1]?.url).toBe(`/v1?a=1&key=${VALUE}&b=2`);
    expect(JSON.parse(seen[2]?.body ?? '')).toEqual({ client: { secret: VALUE, id: 'ä' } });
    expect(seen[2]?.headers['content-length']).toBe(String(Buffer.byteLength(seen[2]?.body ?? '')));
    expect(seen[3]?.body).toBe(`id=1&secret=${VALUE}`);
  });

  test('a value with what addresses and JSON write in their own way', async () => {
    const value = Buffer.from('pä"ss/wo&rd+=1234', 'utf8').toString('latin1');
    const { port, seen } = await remembering();
    const front = await frontOf(port, { held: [held({ as: ['query key', 'body secret'], value })] });
    await ask(front, { path: `/?key=${PLACEHOLDER}` });
    await ask(front, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"secret":"${PLACEHOLDER}"}`,
    });
    expect(new URL(`https://x${seen[0]?.url}`).searchParams.get('key')).toBe('pä"ss/wo&rd+=1234');
    expect(JSON.parse(seen[1]?.body ?? '')).toEqual({ secret: 'pä"ss/wo&rd+=1234' });
  });

  test('two credentials of one host, each in its place', async () => {
    const other = { placeholder: ['cordon', 'other', 'x'.repeat(32)].join('_'), value: 'o'.repeat(20), name: 'OTHER' };
    const { port, seen } = await remembering();
    const front = await frontOf(port, { held: [held(), held({ ...other, as: ['header x-key'] })] });
    await ask(front, { headers: { ...bearer, 'x-key': other.placeholder } });
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${VALUE}`, 'x-key': other.value });
    expect(front.records[0]?.credentials).toEqual(['TOKEN', 'OTHER']);
  });

  test('a request without any goes on as it is', async () => {
    const { port, seen } = await remembering();
    const front = await frontOf(port);
    expect((await ask(front, { path: '/public?x=1', headers: { 'x-mine': 'yes' } })).body).toBe('fine');
    expect(seen[0]).toMatchObject({
      url: '/public?x=1',
      headers: { host: NAME, 'x-mine': 'yes', 'accept-encoding': 'identity' },
    });
    expect(front.records[0]).toMatchObject({ verdict: 'sent', credentials: [] });
  });

  test('by hosts below a name', async () => {
    const { port, seen } = await remembering();
    const front = await frontOf(port, { held: [held({ hosts: ['*.example.test'] })] });
    expect((await ask(front, { headers: bearer })).status).toBe(200);
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${VALUE}`);
  });

  test.each([
    ['GET', '/repos/a/b'],
    ['POST', '/repos/a'],
  ])('by method and path: %s %s', async (method, path) => {
    const { port } = await remembering();
    const front = await frontOf(port, { held: [held({ methods: ['GET', 'POST'], paths: ['/repos/**'] })] });
    expect((await ask(front, { method, path, headers: bearer })).status).toBe(200);
  });
});

const percent = (text: string) => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
const escaped = (text: string) => [...text].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('');
const json = { 'content-type': 'application/json' };

describe('refused, and nothing is sent', () => {
  const cases: Record<
    string,
    [rule: string, request: Parameters<typeof ask>[1], options?: Parameters<typeof held>[0]]
  > = {
    'another host': ['host', { headers: bearer }, { hosts: ['elsewhere.example.test'] }],
    'a name that only ends alike': ['host', { headers: bearer }, { hosts: ['*.pi.example.test', 'example.test'] }],
    'another port': ['port', { headers: bearer }, { hosts: [`${NAME}:8443`] }],
    'another header': ['place', { headers: { 'x-token': PLACEHOLDER } }],
    'a cookie': ['place', { headers: { cookie: `a=${PLACEHOLDER}` } }],
    'the path': ['place', { path: `/x/${PLACEHOLDER}` }],
    'the query': ['place', { path: `/?token=${PLACEHOLDER}` }],
    'a field of the body': ['place', { method: 'POST', headers: json, body: `{"a":"${PLACEHOLDER}"}` }],
    'the body as text': ['encoded', { method: 'POST', body: `hello ${PLACEHOLDER}` }],
    'the body beside its header': ['twice', { method: 'POST', headers: bearer, body: PLACEHOLDER }],
    'two headers': ['twice', { headers: { ...bearer, 'x-other': PLACEHOLDER } }],
    'twice in one header': ['twice', { headers: { authorization: `Bearer ${PLACEHOLDER}, ${PLACEHOLDER}` } }],
    'twice in Basic': ['twice', { headers: { authorization: basic(`${PLACEHOLDER}:${PLACEHOLDER}`) } }],
    'Authorization and query': ['twice', { path: `/?a=${PLACEHOLDER}`, headers: bearer }],
    'base64 in a header': ['encoded', { headers: { 'x-a': Buffer.from(PLACEHOLDER).toString('base64') } }],
    'base64 inside of more': ['encoded', { headers: { 'x-a': Buffer.from(`ab${PLACEHOLDER}cd`).toString('base64') } }],
    'base64 in a body': ['encoded', { method: 'POST', body: Buffer.from(`--${PLACEHOLDER}--`).toString('base64') }],
    'hex in a query': ['encoded', { path: `/?a=${Buffer.from(PLACEHOLDER).toString('hex')}` }],
    'percent signs in a path': ['encoded', { path: `/${percent(PLACEHOLDER)}` }],
    'percent signs in a path, twice': ['encoded', { path: `/${percent(percent(PLACEHOLDER))}` }],
    'escapes of JSON': ['encoded', { method: 'POST', headers: json, body: `{"a":"${escaped(PLACEHOLDER)}"}` }],
    'in parts': [
      'encoded',
      { method: 'POST', headers: json, body: `["${PLACEHOLDER.slice(0, 9)}","${PLACEHOLDER.slice(9)}"]` },
    ],
    'percent signs in a header': ['encoded', { headers: { 'x-a': percent(PLACEHOLDER) } }],
    'another method': ['method', { method: 'DELETE', headers: bearer }, { methods: ['GET'] }],
    'another method in a header': [
      'method',
      { headers: { ...bearer, 'x-http-method-override': 'DELETE' } },
      { methods: ['GET'] },
    ],
    'another method in the query': ['method', { path: '/a?x=1&_method=DELETE', headers: bearer }, { methods: ['GET'] }],
    'another address in a header': [
      'path',
      { path: '/repos/a', headers: { ...bearer, 'x-original-url': '/user' } },
      { paths: ['/repos/**'] },
    ],
    'another path': ['path', { path: '/user', headers: bearer }, { paths: ['/repos/**'] }],
    'a path with dots': ['path', { path: '/repos/../user', headers: bearer }, { paths: ['/repos/**'] }],
    'a path with encoded dots': ['path', { path: '/repos/%2e%2e/user', headers: bearer }, { paths: ['/repos/**'] }],
    'a path with encoded slashes': ['path', { path: '/repos/..%2fuser', headers: bearer }, { paths: ['/repos/**'] }],
    'a path with two slashes': ['path', { path: '/repos//user', headers: bearer }, { paths: ['/repos/**'] }],
    'another Host': ['name', { headers: { host: 'other.test', ...bearer } }],
    'a Host with another port': ['name', { headers: { host: `${NAME}:8443`, ...bearer } }],
    'a whole address': ['name', { path: `http://other.test/`, headers: bearer }],
  };

  test.each(Object.entries(cases))('%s', async (_, [rule, request, options]) => {
    const { port, seen } = await remembering();
    const front = await frontOf(port, { held: [held(options)] });
    const { status, body, headers } = await ask(front, request);
    expect(status).toBe(403);
    expect(headers['x-cordon']).toBe('refused');
    expect(body).toContain(`(rule: ${rule})`);
    expect(body).toMatch(rule === 'name' ? /not sent/ : /TOKEN was not sent to api\.example\.test:443: /);
    expect(seen).toEqual([]);
    expect(front.records).toMatchObject([{ verdict: 'refused', rule, host: NAME, port: 443 }]);
    expect(JSON.stringify(front.records)).not.toContain(PLACEHOLDER);
  });

  test.each([
    ['is sent as it comes', ['authorization']],
    ['is read before', ['authorization', 'body secret']],
  ])('in trailers of a body that %s', async (_, as) => {
    const { port, seen } = await remembering();
    const front = await frontOf(port, { held: [held({ as })] });
    const { status } = await ask(front, {
      method: 'POST',
      headers: { trailer: 'x-a', ...bearer },
      body: 'a',
      trailers: { 'x-a': PLACEHOLDER },
    });
    expect(status).toBe(403);
    expect((await ask(front, { path: '/next' })).status).toBe(200);
    expect(seen.map(({ url }) => url)).toEqual(['/next']);
  });

  test('in a body of unknown length, split anywhere', async () => {
    const { port, seen } = await remembering();
    const front = await frontOf(port);
    const headers = { 'transfer-encoding': 'chunked' };
    for (const at of [1, 5, 20]) {
      const { status } = await ask(front, {
        method: 'POST',
        headers,
        body: ['x'.repeat(1000), PLACEHOLDER.slice(0, at), PLACEHOLDER.slice(at), 'y'],
      });
      expect(status).toBe(403);
    }
    expect(seen).toEqual([]);
  });

  test('in plain HTTP, whatever the place', async () => {
    const http = await import('node:http');
    const front = await frontOf(() => Promise.reject(new Error('nothing may be dialled')), {
      dialled: { name: NAME, port: 80 },
    });
    const status = await new Promise((resolve, reject) => {
      http
        .get({ port: front.port, headers: { host: NAME, ...bearer } }, (res) => resolve(res.resume().statusCode))
        .once('error', reject);
    });
    expect(status).toBe(403);
    expect(front.records).toMatchObject([{ verdict: 'refused', rule: 'port' }]);
  });
});

describe('answers', () => {
  test('are free of the value in headers, bodies, reasons and trailers, and as long as before', async () => {
    const port = await serverOf((req, res) => {
      const { authorization = '' } = req.headers;
      res.writeHead(200, `OK ${authorization}`, {
        'x-echo': authorization,
        trailer: 'x-last',
        'x-64': Buffer.from(authorization).toString('base64'),
      });
      for (const part of authorization) res.write(part);
      res.addTrailers({ 'x-last': authorization });
      res.end(JSON.stringify({ authorization, hex: Buffer.from(VALUE).toString('hex') }));
    });
    const front = await frontOf(port);
    const answer = await ask(front, { headers: bearer });
    const whole = JSON.stringify(answer);
    expect(answer.status).toBe(200);
    expect(whole).not.toContain(VALUE);
    expect(whole).not.toContain(VALUE.slice(10));
    expect(whole).not.toContain(Buffer.from(VALUE).toString('hex'));
    expect(whole).not.toContain(Buffer.from(VALUE).toString('base64').slice(4, 24));
    expect(answer.headers['x-echo']).toBe(`Bearer ${'*'.repeat(VALUE.length)}`);
    expect(answer.trailers['x-last']).toBe(`Bearer ${'*'.repeat(VALUE.length)}`);
  });

  test('are looked through where they are compressed all the same', async () => {
    const zlib = await import('node:zlib');
    const body = Buffer.from(`${'a'.repeat(5000)}${VALUE}${'b'.repeat(5000)}`);
    const codings = { gzip: zlib.gzipSync(body), br: zlib.brotliCompressSync(body), deflate: zlib.deflateSync(body) };
    for (const [coding, data] of Object.entries(codings)) {
      const port = await serverOf((_, res) =>
        res.writeHead(200, { 'content-encoding': coding, 'content-length': data.length }).end(data),
      );
      const front = await frontOf(port);
      const answer = await ask(front, { headers: bearer });
      expect(answer.body).toBe(`${'a'.repeat(5000)}${'*'.repeat(VALUE.length)}${'b'.repeat(5000)}`);
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
    const port = await serverOf((_, res) => res.writeHead(200, { 'content-encoding': 'zstd' }).end('?'));
    const answer = await ask(await frontOf(port), { headers: bearer });
    expect(answer).toMatchObject({ status: 502 });
  });

  test.each([
    ['as it is', VALUE],
    ['in base64', Buffer.from(VALUE).toString('base64')],
    ['in hex', Buffer.from(VALUE).toString('hex')],
  ])('in parts give no part of the value away, %s', async (_how, written) => {
    const document = Buffer.from(`${'.'.repeat(6000)}${written}${'.'.repeat(6000)}`);
    const ranges: (string | undefined)[] = [];
    const port = await serverOf((req, res) => {
      ranges.push(req.headers.range);
      const [, from = '0', to = ''] = /bytes=(\d*)-(\d*)/.exec(req.headers.range ?? '') ?? [];
      if (req.headers.range === undefined) return res.end(document);
      return res.writeHead(206).end(document.subarray(Number(from), to === '' ? undefined : Number(to) + 1));
    });
    const front = await frontOf(port);
    const part = async (range: string) => (await ask(front, { headers: { ...bearer, range } })).body;
    expect(await part('bytes=6000-6003')).toHaveLength(document.length);
    expect(await part('bytes=0-1,6000-6010')).toHaveLength(document.length);
    expect(ranges).toEqual([undefined, undefined]);
    const rest = (text: string) => text.replaceAll(/[.*]/g, '').length;
    for (const from of [6001, 6010, 6020, 6030]) expect(rest(await part(`bytes=${from}-`))).toBeLessThan(8);
    for (const to of [6009, 6020, 6030, 6038]) expect(rest(await part(`bytes=0-${to}`))).toBeLessThan(8);
    expect(await part('bytes=7000-')).toBe('.'.repeat(document.length - 7000));
  });
});
