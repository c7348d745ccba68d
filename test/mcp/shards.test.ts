import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parsePeers, parseShard, shardOf } from '../../src/mcp/http/shards.ts';
import { USERS } from '../support/users.ts';
import { callOf, connectHttp, HEADERS, INITIALIZE, post, type Served } from './http-support.ts';
import { Replicas } from './replica-support.ts';
import { bash, eventually, isRunning, ownValue, uniqueSleep } from './support.ts';

describe('whose a user is', () => {
  const people = Array.from({ length: 20_000 }, (_, i) => `user${i}`);

  test('evenly spread, and with one server more only those move that go to it', () => {
    for (const count of [1, 2, 3, 10]) {
      const sizes = Array.from({ length: count }, () => 0);
      for (const name of people) {
        const [before, after] = [shardOf(name, count), shardOf(name, count + 1)];
        sizes[before] = (sizes[before] as number) + 1;
        if (after !== before && after !== count) throw new Error(`${name} moved from ${before} to ${after}`);
      }
      for (const size of sizes) expect(Math.abs(size / (people.length / count) - 1)).toBeLessThan(0.1);
    }
  });

  test('what names no server is refused', () => {
    expect([parseShard('0/1'), parseShard('4/5')]).toEqual([
      { own: 0, count: 1 },
      { own: 4, count: 5 },
    ]);
    for (const bad of ['1/1', '5/5', '-1/5', '1', '/', 'a/2', '0/0', '0/10001', '1/2/3', '1.0/2', '', 'host'])
      expect([bad, parseShard(bad)]).toEqual([bad, undefined]);
    expect(parsePeers(['http://cordon-{}.cordon:8730'], 3)?.map(({ host }) => host)).toEqual(
      [0, 1, 2].map((i) => `cordon-${i}.cordon:8730`),
    );
    for (const bad of [[], ['http://a'], ['https://a', 'http://b'], ['http://a/x', 'http://b'], ['http://u:p@a', 'b']])
      expect([bad, parsePeers(bad, 2)]).toEqual([bad, undefined]);
  });
});

/** Two users of different servers. */
const PEOPLE = ['user0', 'user1', 'user2', 'user3', 'user4', 'user5'];
const [HERE, THERE] = [0, 1].map((number) => PEOPLE.find((name) => shardOf(name, 2) === number)) as [string, string];

const rawly = (origin: string, bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(said));
  });

describe.each(USERS)('two servers of %s that share the users', (user) => {
  test.each(['legacy', 'auto'] as const)('either serves everybody with their own values (%s protocol)', async (era) => {
    const replicas = await new Replicas(user, [HERE, THERE]).startAll();
    for (const name of [HERE, THERE])
      for (const origin of replicas.origins) {
        const client = await connectHttp({ origin } as Served, replicas.token(name), era);
        expect((await bash(client, 'echo "$OWN_KEY"')).data.output).toBe(ownValue(name));
      }
    // Each has the sessions of its own user, wherever they were asked for.
    const open = await Promise.all([0, 1].map((at) => replicas.metric(at, 'cordon_sessions_open')));
    expect(open).toEqual(era === 'legacy' ? [2, 2] : [1, 1]);
  });

  test('a session is found from either, counts once, and stays its user’s', async () => {
    const replicas = await new Replicas(user, [HERE, THERE], { more: ['--max-sessions', '2'] }).startAll();
    const id = await replicas.open(THERE, 0);
    for (const at of [0, 1])
      expect((await replicas.call(THERE, id, 'echo "$OWN_KEY"', at)).output).toBe(ownValue(THERE));
    await replicas.open(THERE, 1);
    for (const at of [0, 1]) {
      const third = await post({ origin: replicas.origin(at) }, replicas.token(THERE), INITIALIZE);
      expect([third.status, third.headers.get('retry-after')]).toEqual([429, '60']);
      expect((await replicas.call(HERE, id, 'echo stolen', at)).status).toBe(404);
    }
    const authorization = `Bearer ${replicas.token(THERE)}`;
    const headers = { authorization, 'mcp-session-id': id };
    expect((await fetch(`${replicas.origin(0)}/mcp`, { method: 'DELETE', headers })).status).toBe(200);
    for (const at of [0, 1]) expect((await replicas.call(THERE, id, 'echo late', at)).status).toBe(404);
  });

  test('servers that cannot hand on, or do not agree, refuse and run nothing', async () => {
    const replicas = new Replicas(user, [HERE, THERE]);
    await replicas.start(0);
    const alone = { origin: replicas.origin(0) };
    const forwarded = await post(alone, replicas.token(THERE), INITIALIZE, { 'cordon-forwarded': '1' });
    expect([forwarded.status, await forwarded.text()]).toEqual([421, expect.stringContaining('at server 1 of 2')]);
    const away = await post(alone, replicas.token(THERE), INITIALIZE);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await away.text()).toContain('cannot be reached: nothing was run');
    expect(await replicas.metric(0, 'cordon_sessions_open')).toBe(0);
    expect(await replicas.metric(0, 'cordon_forwarded_total{fate="unreachable"}')).toBe(1);
  });

  test('a request within a request is never one, and what Connection names is not handed on', async () => {
    const replicas = await new Replicas(user, [HERE, THERE]).startAll();
    const id = await replicas.open(THERE, 0);
    const before = await replicas.metric(1, 'cordon_http_responses_total{status="200"}');
    const { host } = new URL(replicas.origin(0));
    const inner = JSON.stringify(callOf('touch /workspace/smuggled'));
    const head = (more: string) =>
      `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${replicas.token(THERE)}\r\n` +
      `content-type: ${HEADERS['content-type']}\r\naccept: ${HEADERS.accept}\r\nmcp-session-id: ${id}\r\n${more}\r\n`;
    const hidden = `${head(`content-length: ${inner.length}\r\n`)}${inner}`;
    // Both lengths; a chunk and what looks like the next request; a line folded into a header.
    const both = `${head('content-length: 5\r\ntransfer-encoding: chunked\r\n')}0\r\n\r\n${hidden}`;
    expect(await rawly(replicas.origin(0), both)).toMatch(/^HTTP\/1\.1 400 /);
    const folded = `${head('x: 1\r\n transfer-encoding: chunked\r\ncontent-length: 0\r\nconnection: close\r\n')}`;
    expect(await rawly(replicas.origin(0), folded)).toMatch(/^HTTP\/1\.1 400 /);
    const within = `${head(`content-length: ${hidden.length}\r\nconnection: close\r\n`)}${hidden}`;
    expect(await rawly(replicas.origin(0), within)).toMatch(/^HTTP\/1\.1 400 [\s\S]*not JSON/);
    const named = `${head(`content-length: ${inner.length}\r\nconnection: close, Mcp-Session-Id\r\n`)}${inner}`;
    expect(await rawly(replicas.origin(0), named)).toMatch(/^HTTP\/1\.1 400 [\s\S]*Mcp-Session-Id header is missing/);
    expect(await replicas.metric(1, 'cordon_calls_total{kind="bash",outcome="ok"}')).toBe(0);
    expect((await replicas.call(THERE, id, 'ls', 0)).output).toBe('');
    // One more for the question about metrics.
    expect(await replicas.metric(1, 'cordon_http_responses_total{status="200"}')).toBe(before + 3);
  });

  test('a client that goes away in mid-call ends the call at the other server', async () => {
    const replicas = await new Replicas(user, [HERE, THERE]).startAll();
    const [id, sleep, away] = [await replicas.open(THERE, 0), uniqueSleep(), new AbortController()];
    const call = callOf(`trap '' TERM; setsid sleep ${sleep}`);
    const asked = { 'mcp-session-id': id };
    const running = post({ origin: replicas.origin(0) }, replicas.token(THERE), call, asked, away.signal)
      .then((answer) => answer.text())
      .catch(() => 'gone');
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    away.abort();
    expect(await running).toBe('gone');
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    await eventually(async () => expect(await replicas.metric(0, 'cordon_forwarded_total{fate="left"}')).toBe(1));
  });
});
