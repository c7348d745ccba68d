import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { USERS } from '../support/users.ts';
import { bash, call, connectStdio, eventually, Place, type Running } from './support.ts';

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};
const CALL = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'Bash', arguments: { command: 'echo fine' } },
};

const start = (place: Place, more: readonly string[] = []) =>
  place.start(['mcp', '--user', 'alice', '--workspace', place.workspaceOf('alice'), ...more]);
const send = (server: Running, ...lines: (object | string | Buffer)[]) => {
  for (const line of lines)
    server.child.stdin?.write(Buffer.isBuffer(line) || typeof line === 'string' ? line : `${JSON.stringify(line)}\n`);
};
const answers = ({ stdout }: Running) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { id?: unknown; result?: object; error?: object });
const answerTo = (server: Running, id: unknown) =>
  eventually(() => {
    const found = answers(server).find((one) => one.id === id);
    expect(found).toBeDefined();
    return found;
  });

describe.each(USERS)('bad input to cordon mcp as %s', (user) => {
  test('lines that are no messages are passed over, stdout has the protocol alone', async () => {
    const server = start(new Place(user), ['--log', 'json']);
    const deep = '['.repeat(100_000);
    send(
      server,
      'not json\n',
      '{"jsonrpc":"2.0"}\n',
      '[]\n',
      'null\n',
      '\n',
      `${deep}\n`,
      Buffer.from([0xff, 0xfe, 10]),
    );
    send(server, { jsonrpc: '1.0', id: 9, method: 'ping' }, { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' });
    send(server, HELLO, { jsonrpc: '2.0', method: 'notifications/initialized' }, CALL);
    expect(JSON.stringify(await answerTo(server, 2))).toContain('fine');
    expect(answers(server).map(({ id }) => id)).toEqual([1, 2]);
    for (const line of server.stderr.trim().split('\n'))
      expect(Object.keys(JSON.parse(line))).toEqual(['time', 'level', 'message']);
    server.child.stdin?.end();
    expect(await server.ended).toBe(0);
  });

  test('unknown methods and tools, answers nobody asked for, and calls out of order are answered or passed over', async () => {
    const server = start(new Place(user));
    send(
      server,
      { jsonrpc: '2.0', id: 77, result: {} },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } },
    );
    send(server, HELLO, { jsonrpc: '2.0', method: 'notifications/initialized' });
    send(server, { ...CALL, id: 3, params: { name: 'Nothing', arguments: {} } }, { ...CALL, id: 4, method: 'no/such' });
    send(
      server,
      { ...CALL, id: 5, params: { name: '__proto__' } },
      { ...CALL, id: 6, params: 'x' },
      { ...HELLO, id: 7 },
      CALL,
    );
    expect(JSON.stringify(await answerTo(server, 2))).toContain('fine');
    for (const id of [3, 4, 5]) expect(await answerTo(server, id)).toHaveProperty('error');
  });

  test('a message beyond all measure closes the connection, and says why', async () => {
    const server = start(new Place(user));
    send(server, HELLO);
    await answerTo(server, 1);
    send(server, Buffer.alloc(9 << 20, 'x'));
    expect(await server.ended).toBe(0);
    await server.says(/a message is over 8388608 bytes; the connection is closed/);
  });

  test('arguments that do not fit are refused by name', async () => {
    const place = new Place(user);
    place.skill('one', 'name: one\ndescription: d\n', { name: 'run.sh', text: '#!/bin/bash\necho ran\n' });
    const { client } = await connectStdio(place);
    const refused: [Record<string, unknown>, RegExp][] = [
      [{}, /command/],
      [{ command: 5 }, /command/],
      [{ command: '' }, /command/],
      [{ command: 'true', timeout: 5 }, /Unrecognized key: "timeout"/],
      [{ command: 'true', timeout_ms: 0 }, /timeout_ms/],
      [{ command: 'true', timeout_ms: 1.5 }, /timeout_ms/],
      [{ command: 'true', preview_mode: 'middle' }, /preview_mode/],
      [{ command: 'true', preview_lines: -1 }, /preview_lines/],
      [{ command: 'true', preview_lines: 1e9 }, /preview_lines/],
      [{ command: 'a\0b' }, /NUL/],
      [{ command: `echo ${'x'.repeat(200_000)}` }, /131000 bytes/],
    ];
    for (const [args, why] of refused) {
      const { isError, text } = await call(client, 'Bash', args);
      expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringMatching(why) });
    }
    expect(await call(client, 'skill_one', { args: 'a b' })).toMatchObject({ isError: true });
    expect(await call(client, 'skill_one', { args: ['a\0b'] })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/NUL/),
    });
    expect((await bash(client, 'echo fine')).data.output).toBe('fine');
  });

  test('a time limit asked for does not go beyond that of the profile', async () => {
    const place = new Place(user);
    place.write(join(place.home, 'short.toml'), '[meta]\nname = "short"\n\n[session]\ntimeout_seconds = 1\n');
    const { client } = await connectStdio(place, { more: ['--profile', join(place.home, 'short.toml')] });
    expect((await bash(client, 'sleep 60', { timeout_ms: 50_000 })).text).toContain('time limit of 1 s');
  });

  test('who and where are checked before a word of the protocol', async () => {
    const place = new Place(user);
    const workspace = place.workspaceOf('alice');
    symlinkSync(workspace, join(place.workspaces, 'link'));
    const cases: [string[], RegExp][] = [
      [['--workspace', workspace], /--user is needed/],
      [['--user', 'alice'], /--workspace is needed/],
      [['--user', '../alice', '--workspace', workspace], /is not the name of a user/],
      [['--user', 'аlice', '--workspace', workspace], /is not the name of a user/],
      [['--user', 'a'.repeat(300), '--workspace', workspace], /is not the name of a user/],
      [['--user', 'alice', '--workspace', join(place.workspaces, 'none')], /it is not there/],
      [['--user', 'alice', '--workspace', join(place.workspaces, 'link')], /symbolic link/],
      [['--user', 'alice', '--workspace', '/'], /cannot be the workspace/],
      [['--user', 'alice', '--user', 'bob', '--workspace', workspace], /--user is given twice/],
      [['--user', 'alice', '--workspace', workspace, '--skills', '/no/such'], /folder of skills is not there/],
      [['--user', 'alice', '--workspace', workspace, '--profile', 'nobody'], /nobody/],
      [['--user', 'alice', '--workspace', workspace, 'more'], /flags only/],
    ];
    for (const [args, why] of cases) {
      const server = place.start(['mcp', ...args]);
      expect(await server.ended).toBe(125);
      expect(server).toMatchObject({ stdout: '', stderr: expect.stringMatching(why) });
    }
  });

  test('a broken secrets file refuses, and tells no value', async () => {
    const place = new Place(user);
    place.write(place.secretsOf('alice'), 'sandboxed_envs:\n  OWN_KEY: [half-a-secret-991\n', 0o600);
    const server = start(place);
    expect(await server.ended).toBe(125);
    await server.says(place.secretsOf('alice'));
    expect(server.stderr).not.toContain('half-a-secret-991');
  });

  test('SIGUSR1 opens no inspector; SIGTERM ends it in order', async () => {
    const place = new Place(user);
    mkdirSync(join(place.workspaceOf('alice'), 'x'));
    const server = start(place);
    send(server, HELLO);
    await answerTo(server, 1);
    server.child.kill('SIGUSR1');
    send(server, CALL);
    await answerTo(server, 2);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.stderr).not.toMatch(/debugger/i);
    expect(place.leftovers()).toEqual([]);
  });
});
