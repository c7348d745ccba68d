import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TokenStore } from '../../src/mcp/http/tokens.ts';
import { USERS } from '../support/users.ts';
import {
  addToken,
  callOf,
  connectHttp,
  HEADERS,
  httpClient,
  INITIALIZE,
  openById,
  post,
  serve,
  startServer,
} from './http-support.ts';
import { bash, errorCodes, eventually, GLOBAL_VALUE, isRunning, ownValue, Place, uniqueSleep } from './support.ts';

const metric = async (origin: string, name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${origin}/metrics`)).text())?.[1]);

describe.each(USERS)('cordon serve as %s', (user) => {
  test.each(['legacy', 'auto'] as const)('each user’s calls see their own values (%s protocol)', async (era) => {
    const served = await serve(user);
    const clients = await Promise.all([
      connectHttp(served, served.tokens.alice, era),
      connectHttp(served, served.tokens.bob, era),
    ]);
    const seen = await Promise.all(
      clients.map((client) => bash(client, 'echo "$OWN_KEY $SHARED"; echo hello > mine; ls /workspace')),
    );
    expect(seen.map(({ data }) => data.output)).toEqual([
      `${ownValue('alice')} ${GLOBAL_VALUE}\nmine`,
      `${ownValue('bob')} ${GLOBAL_VALUE}\nmine`,
    ]);
    expect(clients[0]?.getNegotiatedProtocolVersion()).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25');
  });

  test('a token is shown once, kept as a hash in a file of its owner, listed and removed', async () => {
    const place = new Place(user);
    const token = await addToken(place, 'alice');
    expect(token).toMatch(/^cordon_[\w-]{43}$/);
    const folder = join(place.home, 'tokens');
    const [name = ''] = readdirSync(folder);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain(token.slice(7));
    const listing = place.start(['serve', 'token', 'list', '--json']);
    await listing.ended;
    expect(JSON.parse(listing.stdout)).toEqual([
      { id: name.slice(0, 8), user: 'alice', created: expect.stringMatching(/^20/) },
    ]);
    const { origin } = await startServer(place);
    expect((await post({ origin }, token, INITIALIZE)).status).toBe(200);
    expect(await place.start(['serve', 'token', 'rm', 'alice']).ended).toBe(0);
    expect((await post({ origin }, token, INITIALIZE)).status).toBe(401);
    expect(await place.start(['serve', 'token', 'rm', 'alice']).ended).toBe(125);
    expect(await place.start(['serve', 'token', 'add', '../alice']).ended).toBe(125);
  });

  test('a token file that others may read is not used', async () => {
    const served = await serve(user);
    const folder = join(served.place.home, 'tokens');
    const [name = ''] = readdirSync(folder);
    served.place.write(join(folder, name), readFileSync(join(folder, name)), 0o644);
    served.place.write(join(folder, 'touched'), '');
    const statuses = await Promise.all(
      Object.values(served.tokens).map(async (token) => (await post(served, token, INITIALIZE)).status),
    );
    expect(statuses.sort()).toEqual([200, 401]);
    await served.server.says(/is not used: others may read or write it/);
  });

  test('without a valid token nothing is told', async () => {
    const served = await serve(user);
    const id = await openById(served, served.tokens.alice);
    const wrong = [
      undefined,
      '',
      'x',
      `${served.tokens.alice}x`,
      served.tokens.alice.slice(0, -1),
      'cordon_'.repeat(60),
    ];
    const answers = await Promise.all(
      wrong.map(async (token) => {
        const response = await post(served, token, callOf('echo no'), { 'mcp-session-id': id });
        return [response.status, response.headers.get('www-authenticate'), await response.text()].join(' ');
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^401 Bearer .*a valid bearer token is needed/);
    expect(await metric(served.origin, 'cordon_tokens_refused_total')).toBe(wrong.length);
  });

  test('another’s session is answered as one that never was', async () => {
    const served = await serve(user);
    const id = await openById(served, served.tokens.alice);
    const ask = async (session: string, method = 'POST') => {
      const authorization = `Bearer ${served.tokens.bob}`;
      const body = method === 'POST' ? { body: JSON.stringify(callOf('echo stolen > /workspace/stolen')) } : {};
      const response = await fetch(`${served.origin}/mcp`, {
        method,
        headers: { ...HEADERS, authorization, 'mcp-session-id': session },
        ...body,
      });
      return { status: response.status, text: await response.text() };
    };
    for (const method of ['POST', 'GET', 'DELETE']) {
      const [theirs, unknown] = [await ask(id, method), await ask('00000000-0000-4000-8000-000000000000', method)];
      expect(theirs).toEqual(unknown);
      expect(theirs.status).toBe(404);
    }
    const own = await post(served, served.tokens.alice, callOf('ls /workspace; echo ok'), { 'mcp-session-id': id });
    expect(await own.text()).toContain('"output":"ok"');
  });

  test('names that lead here from elsewhere, and pages of others, are refused', async () => {
    const served = await serve(user, ['--allow-host', 'agents.example', '--allow-origin', 'https://app.example']);
    const port = Number(new URL(served.origin).port);
    const status = (headers: Record<string, string>, path = '/healthz') =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request({ port, host: '127.0.0.1', path, headers, setHost: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.once('error', reject).end();
      });
    const allowed = [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`, 'agents.example', 'Agents.Example:443'];
    const refused = [
      'evil.example',
      'localhost.evil.example',
      'agents.example.evil',
      '127.0.0.1.evil:80',
      'localhost:',
      '',
    ];
    for (const host of allowed) expect([host, await status({ host })]).toEqual([host, 200]);
    for (const host of refused) expect([host, await status({ host })]).toEqual([host, 403]);
    for (const origin of ['http://evil.example', 'null', 'http://localhost:1', 'https://app.example.evil'])
      expect([origin, await status({ host: 'localhost', origin })]).toEqual([origin, 403]);
    expect(await status({ host: 'localhost', origin: 'https://app.example' })).toBe(200);
    expect(await status({ host: 'evil.example' }, '/metrics')).toBe(403);
  });

  test('requests that are broken, too large or out of order are refused, and the server goes on', async () => {
    const served = await serve(user, ['--max-request', '20000']);
    const { alice } = served.tokens;
    const answer = async (body: unknown, headers = {}) => (await post(served, alice, body, headers)).status;
    expect(await answer('{"jsonrpc"')).toBe(400);
    expect(await answer('')).toBe(400);
    expect(await answer('['.repeat(10_000))).toBe(400);
    expect(await answer([])).toBe(400);
    expect(await answer([INITIALIZE, INITIALIZE])).toBe(400);
    expect(await answer({ jsonrpc: '2.0', id: 1 })).toBe(400);
    expect(await answer(callOf('echo too early'))).toBe(400);
    expect(await answer(INITIALIZE, { 'content-type': 'text/plain' })).toBe(415);
    expect(await answer(INITIALIZE, { accept: 'text/html' })).toBe(406);
    expect(await answer(callOf('x'.repeat(30_000)))).toBe(413);
    expect(
      (await fetch(`${served.origin}/mcp`, { method: 'PUT', headers: { authorization: `Bearer ${alice}` } })).status,
    ).toBe(400);
    expect((await fetch(`${served.origin}/other`)).status).toBe(404);
    expect((await bash(await connectHttp(served, alice), 'echo fine')).data.output).toBe('fine');
    expect(await metric(served.origin, 'cordon_sessions_open')).toBe(1);
  });

  test('a body without end is cut off at the limit', async () => {
    const served = await serve(user, ['--max-request', '20000']);
    const port = Number(new URL(served.origin).port);
    const headers = { ...HEADERS, authorization: `Bearer ${served.tokens.alice}`, 'transfer-encoding': 'chunked' };
    const answer = await new Promise<number | string | undefined>((resolve) => {
      const asked = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        asked.destroy();
      });
      asked.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      const more = () => asked.writable && asked.write(Buffer.alloc(8192, 'x'), () => setImmediate(more));
      more();
    });
    // A client that writes on without reading may see the closed connection first.
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(answer);
    expect((await bash(await connectHttp(served, served.tokens.alice), 'echo fine')).data.output).toBe('fine');
  });

  test('limits of one user do not touch another', async () => {
    const served = await serve(user, ['--max-sessions', '2', '--max-calls', '1', '--max-rate', '60']);
    const { alice, bob } = served.tokens;
    const client = await connectHttp(served, alice);
    await openById(served, alice);
    expect(await (await post(served, alice, INITIALIZE)).text()).toContain('too many sessions at once: the limit is 2');
    const sleep = uniqueSleep();
    const running = bash(client, `sleep ${sleep}`).catch(() => 'ended');
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    expect(await bash(client, 'echo second')).toMatchObject({
      isError: true,
      text: expect.stringContaining('too many calls at once'),
    });
    const other = await connectHttp(served, bob);
    expect((await bash(other, 'echo first')).data.output).toBe('first');
    const burst = await Promise.all(Array.from({ length: 40 }, () => post(served, alice, callOf('x'))));
    const limited = burst.find(({ status }) => status === 429);
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await bash(other, 'echo still')).data.output).toBe('still');
    await client.close();
    expect(await running).toBe('ended');
  });

  test.each(['legacy', 'auto'] as const)(
    'a client that goes away in mid-call ends the call (%s protocol)',
    async (era) => {
      const served = await serve(user);
      const sleep = uniqueSleep();
      const { client, transport } = httpClient(served.origin, served.tokens.alice, era);
      await client.connect(transport);
      const running = bash(client, `trap '' TERM; setsid sleep ${sleep}`).catch(() => 'gone');
      await eventually(() => expect(isRunning(sleep)).toBe(true));
      await transport.close();
      await running;
      await eventually(() => expect(isRunning(sleep)).toBe(false));
      await eventually(async () => expect(await metric(served.origin, 'cordon_calls_running')).toBe(0));
    },
  );

  test.each(['legacy', 'auto'] as const)(
    'a resource that is not there has the code of its revision (%s)',
    async (era) => {
      const place = new Place(user);
      place.skill('kind', '---\nname: kind\ndescription: how to be\n---\nBe kind.\n');
      const served = await serve(user, ['--skills', place.skills], place);
      const { client, transport } = httpClient(served.origin, served.tokens.alice, era);
      await client.connect(transport);
      const codes = errorCodes(transport);
      await expect(client.readResource({ uri: 'skill://none/SKILL.md' })).rejects.toThrow(/none/);
      expect(codes).toEqual([era === 'legacy' ? -32_002 : -32_602]);
    },
  );

  test('a stream begins with an id and says when to come back; whoever lost the answer is told it then', async () => {
    const served = await serve(user);
    const { alice, bob } = served.tokens;
    const version = '2025-11-25';
    const open = async (token: string, protocolVersion: string) => {
      const response = await post(served, token, {
        ...INITIALIZE,
        params: { ...INITIALIZE.params, protocolVersion },
      });
      return { id: response.headers.get('mcp-session-id') ?? '', said: await response.text() };
    };
    const session = await open(alice, version);
    expect(session.said).toMatch(/^id: \S+\nretry: 1000\ndata: \n\nevent: message\nid: \S+\ndata: \{/);
    expect((await open(alice, '2025-06-18')).said).toMatch(/^event: message\n/);
    const headers = { 'mcp-session-id': session.id, 'mcp-protocol-version': version };
    const comeBack = (last: string, token = alice, of = session.id) =>
      fetch(`${served.origin}/mcp`, {
        headers: {
          ...{ accept: 'text/event-stream', authorization: `Bearer ${token}` },
          ...{ ...headers, 'mcp-session-id': of, 'last-event-id': last },
        },
      });
    const beginning = (text: string) => /^id: (\S+)/.exec(text)?.[1] ?? '';

    const done = beginning(await (await post(served, alice, callOf('echo told twice', 71), headers)).text());
    const again = await (await comeBack(done)).text();
    expect(again).toMatch(/^event: message\nid: \S+\ndata: .*"output":"told twice"/);
    expect(again).toContain('"id":71');

    const sleep = uniqueSleep();
    const leaving = new AbortController();
    const running = await post(served, alice, callOf(`sleep ${sleep}`, 72), headers, leaving.signal);
    const reader = running.body?.getReader();
    const first = beginning(new TextDecoder().decode((await reader?.read())?.value));
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    leaving.abort();
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    await eventually(async () => expect(await (await comeBack(first)).text()).toMatch(/cancelled[\s\S]*"id":72/));

    const other = await open(bob, version);
    expect(await (await comeBack(done, bob, other.id)).text()).toBe('');
    expect((await comeBack(done, bob)).status).toBe(404);
    for (const nonsense of ['x', 'a.b', '../1.1', `${'a'.repeat(100)}.1`])
      expect([nonsense, (await comeBack(nonsense)).status]).toEqual([nonsense, 400]);
  });

  test('cancelling and deleting end what runs', async () => {
    const served = await serve(user);
    const client = await connectHttp(served, served.tokens.alice);
    const [first, second] = [uniqueSleep(), uniqueSleep()];
    const stop = new AbortController();
    const cancelled = bash(client, `sleep ${first}`, {}, { signal: stop.signal }).catch(() => 'gone');
    await eventually(() => expect(isRunning(first)).toBe(true));
    stop.abort();
    await eventually(() => expect(isRunning(first)).toBe(false));
    expect(await cancelled).toBe('gone');
    const id = await openById(served, served.tokens.alice);
    const running = post(served, served.tokens.alice, callOf(`sleep ${second}`), { 'mcp-session-id': id }).then((one) =>
      one.text(),
    );
    await eventually(() => expect(isRunning(second)).toBe(true));
    const headers = { authorization: `Bearer ${served.tokens.alice}`, 'mcp-session-id': id };
    expect((await fetch(`${served.origin}/mcp`, { method: 'DELETE', headers })).status).toBe(200);
    await eventually(() => expect(isRunning(second)).toBe(false));
    await running;
    expect((await post(served, served.tokens.alice, callOf('echo late'), { 'mcp-session-id': id })).status).toBe(404);
  });

  test('a session that nobody uses is closed, one that works is not', async () => {
    const served = await serve(user, ['--idle', '1']);
    const id = await openById(served, served.tokens.alice);
    const sleeping = connectHttp(served, served.tokens.bob, 'auto').then((client) =>
      bash(client, 'sleep 3; echo woke'),
    );
    await eventually(async () => expect(await metric(served.origin, 'cordon_calls_running')).toBe(1));
    await eventually(async () => expect(await metric(served.origin, 'cordon_sessions_open')).toBe(1));
    expect((await post(served, served.tokens.alice, callOf('echo x'), { 'mcp-session-id': id })).status).toBe(404);
    expect((await sleeping).data.output).toBe('woke');
    await eventually(async () => expect(await metric(served.origin, 'cordon_sessions_open')).toBe(0));
  });

  test('--make-workspaces makes the workspace of a new user, and of no name that leads elsewhere', async () => {
    const place = new Place(user);
    const file = join(place.home, 'tokens.jsonl');
    const store = new TokenStore(file, 'shared');
    const [carol, outside] = [store.add('carol').token, store.add('../outside').token];
    place.write(file, readFileSync(file), 0o600);
    const { origin } = await startServer(place, ['--tokens', file, '--make-workspaces']);
    expect([
      (await post({ origin }, carol, INITIALIZE)).status,
      (await post({ origin }, outside, INITIALIZE)).status,
    ]).toEqual([200, 500]);
    expect(readdirSync(place.workspaces).toSorted()).toEqual(['alice', 'bob', 'carol']);
    expect(readdirSync(join(place.workspaces, '..'))).not.toContain('outside');
  });

  test('a limit that holds the server tighter than ours holds its calls, and refuses none', async () => {
    const place = new Place(user);
    const served = await serve(user, [], place, { through: ['prlimit', '--nofile=512:512'] });
    const { data } = await bash(await connectHttp(served, served.tokens.alice), 'ulimit -Sn; ulimit -Hn');
    expect(data).toMatchObject({ exit_code: 0, output: '512\n512' });
  });

  test('what is measured and logged names no secret, and no value', async () => {
    const served = await serve(user, ['--log', 'json']);
    await bash(await connectHttp(served, served.tokens.alice), 'env; exit 4');
    const metrics = await (await fetch(`${served.origin}/metrics`)).text();
    expect(metrics).toContain('cordon_calls_total{kind="bash",outcome="failed"} 1');
    expect(metrics).toMatch(/^cordon_call_seconds_count 1$/m);
    expect(metrics).not.toMatch(/OWN_KEY|SHARED|alice|bob|cordon_[\w-]{43}/);
    expect(await (await fetch(`${served.origin}/healthz`)).json()).toEqual({ status: 'ok' });
    await served.server.says('OWN_KEY');
    for (const value of [ownValue('alice'), GLOBAL_VALUE, served.tokens.alice]) {
      expect(metrics + served.server.stderr).not.toContain(value);
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
        expect(ownArguments(pid)).not.toContain(value);
    }
  });

  test('TERM: what runs comes to its end, nothing new begins, nothing is left', async () => {
    const served = await serve(user);
    const client = await connectHttp(served, served.tokens.alice);
    const running = bash(client, 'touch begun; until [ -e go ]; do sleep 0.05; done; echo done');
    await eventually(() => expect(readdirSync(served.place.workspaceOf('alice'))).toContain('begun'));
    served.server.child.kill('SIGTERM');
    await served.server.says(/shutting down/);
    // Who comes now hears so, instead of a connection that is refused or breaks.
    expect((await fetch(`${served.origin}/healthz`)).status).toBe(503);
    const refused = await post(served, served.tokens.bob, INITIALIZE);
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('shutting down')]);
    served.place.write(join(served.place.workspaceOf('alice'), 'go'), '');
    expect((await running).data).toMatchObject({ exit_code: 0, output: 'done' });
    expect(await served.server.ended).toBe(0);
    expect(served.place.leftovers()).toEqual([]);
  });

  test('TERM: what does not end in time is ended', async () => {
    const served = await serve(user, ['--drain', '1']);
    const sleep = uniqueSleep();
    const running = bash(await connectHttp(served, served.tokens.alice), `trap '' TERM; sleep ${sleep}`);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    served.server.child.kill('SIGTERM');
    expect(await served.server.ended).toBe(0);
    expect(isRunning(sleep)).toBe(false);
    expect(await running).toMatchObject({ isError: true, text: expect.stringContaining('cancelled') });
  });

  test('KILL: no process goes on, and the next start clears up', async () => {
    const served = await serve(user);
    const sleep = uniqueSleep();
    const client = await connectHttp(served, served.tokens.alice);
    const running = bash(client, `sleep ${sleep}`).catch(() => 'gone');
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    served.server.child.kill('SIGKILL');
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    await client.close();
    expect(await running).toBe('gone');
    const [old = ''] = served.place.leftovers();
    const again = await startServer(served.place);
    await openById({ ...served, ...again }, served.tokens.bob);
    expect(served.place.leftovers()).not.toContain(old);
    expect(served.place.leftovers()).toHaveLength(1);
  });

  test('a secrets file that breaks stops the next session, not the one that runs', async () => {
    const served = await serve(user);
    const client = await connectHttp(served, served.tokens.alice);
    served.place.write(served.place.secretsOf('alice'), 'sandboxed_envs: [broken-771\n', 0o600);
    expect((await bash(client, 'echo "$OWN_KEY"')).data.output).toBe(ownValue('alice'));
    const refused = await post(served, served.tokens.alice, INITIALIZE);
    expect([refused.status, await refused.text()]).toEqual([
      500,
      expect.stringContaining('the log of the server says why'),
    ]);
    await served.server.says(served.place.secretsOf('alice'));
    expect(served.server.stderr).not.toContain('broken-771');
    rmSync(served.place.secretsOf('alice'));
    expect((await post(served, served.tokens.alice, INITIALIZE)).status).toBe(500);
    expect((await bash(client, 'echo "$OWN_KEY"')).data.output).toBe(ownValue('alice'));
  });

  test('a user without a workspace is refused, and learns no path', async () => {
    const served = await serve(user);
    const token = await addToken(served.place, 'carol');
    const refused = await post(served, token, INITIALIZE);
    expect(refused.status).toBe(500);
    expect(await refused.text()).not.toContain(served.place.workspaces);
    await served.server.says(join(served.place.workspaces, 'carol'));
  });

  test('flags that would weaken it by mistake are refused', async () => {
    const place = new Place(user);
    const cases: [string[], RegExp][] = [
      [[], /--workspaces is needed/],
      [['--workspaces', place.workspaces, '--listen', '0.0.0.0:0'], /reachable from other machines[\s\S]*--allow-host/],
      [['--workspaces', place.workspaces, '--listen', '8080'], /ADDRESS:PORT/],
      [['--workspaces', place.workspaces, '--listen', '127.0.0.1:99999'], /ADDRESS:PORT/],
      [['--workspaces', place.workspaces, '--max-calls', '0'], /whole number/],
      [['--workspaces', place.workspaces, '--idle', '-1'], /--idle|whole number/],
      [['token', 'burn'], /does not know 'burn'/],
    ];
    for (const [args, why] of cases) {
      const server = place.start(['serve', ...args]);
      expect(await server.ended).toBe(125);
      await server.says(why);
    }
  });
});

function ownArguments(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
