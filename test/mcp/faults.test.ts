import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { USERS } from '../support/users.ts';
import { connectHttp, serve } from './http-support.ts';
import {
  atEnd,
  bash,
  call,
  connectStdio,
  eventually,
  isRunning,
  newClient,
  ownValue,
  Place,
  processesOf,
  uniqueSleep,
  WITHOUT_BARRIER,
} from './support.ts';
import { memoryOf, parentOf, type Reached, reach, TRANSPORTS } from './transports.ts';

const CASES = USERS.flatMap((user) => TRANSPORTS.map((transport) => [user, transport] as const));

/** From the process that sleeps up to the one below the server. */
async function sandboxOf(sleep: string, server: number): Promise<number[]> {
  await eventually(() => expect(isRunning(sleep)).toBe(true));
  const chain = processesOf(sleep).map(Number);
  const first = chain.find((pid) => readFileSync(`/proc/${pid}/comm`, 'latin1') === 'sleep\n') as number;
  const found: number[] = [];
  for (let pid = first; pid !== server && pid > 1; pid = parentOf(pid)) found.push(pid);
  return found;
}

/** A call that sleeps in the sandbox, until the process at this place above it is killed. */
async function killedAt(index: number, { client, pid }: Reached) {
  const sleep = uniqueSleep();
  const running = bash(client, `echo begun; sleep ${sleep}; echo over`);
  const chain = await sandboxOf(sleep, pid);
  process.kill(chain[index] as number, 'SIGKILL');
  return { sleep, running, levels: chain.length };
}

const withSkill = (place: Place, text: string) => place.skill('bad', '# Bad\n', { name: 'run.sh', text });

describe.each(CASES)('faults around a server of %s over %s', (user, transport) => {
  test('whichever process of the sandbox is killed: the call ends in words, nothing runs on, the next call works', async () => {
    const reached = await reach(transport, new Place(user));
    // The last is the one that starts all sandboxes of the server.
    for (let index = 1, levels = 3; index < levels - 1; index++) {
      const killed = await killedAt(index, reached);
      levels = killed.levels;
      const { data, isError, text } = await killed.running;
      expect({ index, isError, data }).toMatchObject({ index, isError: true, data: { exit_code: 137 } });
      expect(text).toMatch(/killed, by itself or from outside; the session goes on/);
      await eventually(() => expect(isRunning(killed.sleep)).toBe(false));
      expect((await bash(reached.client, 'echo "$OWN_KEY"')).data.output).toBe(ownValue('alice'));
    }
  });

  test('the process that starts sandboxes is killed: the call says so, nothing runs on, the next call starts another', async () => {
    const reached = await reach(transport, new Place(user));
    for (let time = 0; time < 2; time++) {
      const sleep = uniqueSleep();
      const running = bash(reached.client, `echo begun; sleep ${sleep}; echo over`);
      const starter = (await sandboxOf(sleep, reached.pid)).at(-1) as number;
      expect(readFileSync(`/proc/${starter}/cmdline`, 'latin1')).toContain(`--launches=${reached.pid}`);
      process.kill(starter, 'SIGKILL');
      const { isError, text } = await running;
      expect([isError, text]).toEqual([true, expect.stringContaining('the command was ended with it')]);
      await eventually(() => expect(isRunning(sleep)).toBe(false));
      expect((await bash(reached.client, 'echo "$OWN_KEY"')).data.output).toBe(ownValue('alice'));
    }
  });

  test('a skill that prints a gigabyte: memory stays, the file is cut, the answer says so', async () => {
    const place = new Place(user);
    withSkill(place, '#!/bin/bash\nhead -c 1G /dev/zero\n');
    const { client, pid } = await reach(transport, place, { more: place.profile('session: { output_file: 1M }\n') });
    await bash(client, 'true');
    const before = memoryOf(pid, 'VmHWM');
    const { data, text } = await call(client, 'skill_bad', {});
    expect(data).toMatchObject({ exit_code: 0, output_bytes: 2 ** 30, limit: expect.stringContaining('1 MiB') });
    expect(text.length).toBeLessThan(200_000);
    const file = String(data.output_file).slice('/workspace/'.length);
    expect(statSync(join(place.workspaceOf('alice'), file)).size).toBe(2 ** 20);
    expect(memoryOf(pid, 'VmHWM') - before).toBeLessThan(200 * 1024);
  });

  test('a skill that forks a thousand children has as many as the limit, and none after the call', async () => {
    const place = new Place(user);
    const sleep = uniqueSleep();
    withSkill(place, `#!/bin/bash\nfor i in $(seq 1000); do sleep ${sleep} & done\nwait\n`);
    const limits = place.profile('session: { processes: 40, timeout_seconds: 5 }\n');
    const { client } = await reach(transport, place, { more: limits });
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, processesOf(sleep).length);
    }, 20);
    const { data, isError } = await call(client, 'skill_bad', {});
    clearInterval(watching);
    expect({ isError, data }).toMatchObject({
      isError: true,
      data: { limit: expect.stringContaining('40 processes') },
    });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(40);
    expect(isRunning(sleep)).toBe(false);
    expect((await bash(client, 'echo next')).data.output).toBe('next');
  });

  test('a skill that ignores TERM is ended after its moment, and the answer says it was the time', async () => {
    const place = new Place(user);
    const sleep = uniqueSleep();
    withSkill(place, `#!/bin/bash\ntrap '' TERM HUP INT\nsetsid sleep ${sleep} &\nwhile :; do sleep ${sleep}; done\n`);
    const { client } = await reach(transport, place, { more: place.profile('session: { timeout_seconds: 1 }\n') });
    const { data, text } = await call(client, 'skill_bad', {});
    expect(data).toMatchObject({ exit_code: 124, timed_out: true });
    expect(text).toContain('time limit of 1 s: the command was ended');
    expect(isRunning(sleep)).toBe(false);
  });

  test('a full disk in one workspace is said, nothing hangs, and it can be mended from inside', async () => {
    const place = new Place(user);
    const mount = `mount -t tmpfs -o size=512k tmpfs '${place.workspaceOf('alice')}' && exec "$@"`;
    const { client } = await reach(transport, place, { through: ['unshare', '-rm', 'sh', '-c', mount, 'sh'] });
    // Complaints in the same stream as the numbers: what comes in two may come in another order.
    const full = await bash(client, 'head -c 4M /dev/zero > fill; seq 1 9999; head -c 9K /dev/zero 2>&1 > more');
    expect(full.text).toContain('No space left on device');
    expect(full.data.limit).toContain('a full disk: the output file is cut off');
    const next = await bash(client, 'echo "$OWN_KEY"');
    expect(next.data).toMatchObject({
      exit_code: 0,
      output: ownValue('alice'),
      notes: [expect.stringMatching(/disk|kept/)],
    });
    expect((await bash(client, 'rm fill; rm -f .cordon/output-*; echo mended > file; cat file')).data.output).toBe(
      'mended',
    );
    expect((await bash(client, 'echo fine')).data).toMatchObject({ exit_code: 0, output_file: expect.any(String) });
  });

  test('a barrier that is lost, or never was: nothing runs, in words (F5)', async () => {
    const place = new Place(user);
    withSkill(place, '#!/bin/bash\ntouch /workspace/ran\n');
    const { client } = await reach(transport, place, { through: WITHOUT_BARRIER });
    const [command, skill] = [await bash(client, 'touch ran'), await call(client, 'skill_bad', {})];
    expect(command).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^SECURITY ERROR: the Bash command was not/),
    });
    expect(skill.text).toMatch(/^SECURITY ERROR: the skill 'bad' was not run[\s\S]*hint: cordon doctor says/);
    expect(readdirSync(place.workspaceOf('alice'))).not.toContain('ran');
  });

  test('a secrets file that is removed or broken leaves the running session as it is', async () => {
    const place = new Place(user);
    const { client } = await reach(transport, place);
    place.write(place.secretsOf('alice'), 'sandboxed_envs: [broken-881\n', 0o600);
    expect((await bash(client, 'echo "$OWN_KEY"')).data.output).toBe(ownValue('alice'));
    const next = place.start(['mcp', '--user', 'alice', '--workspace', place.workspaceOf('alice')]);
    expect(await next.ended).toBe(125);
    await next.says(place.secretsOf('alice'));
    expect(next.stderr + next.stdout).not.toContain('broken-881');
  });
});

describe.each(USERS)('faults of one user, as %s', (user) => {
  test('a full disk of one touches no other', async () => {
    const place = new Place(user);
    const mount = `mount -t tmpfs -o size=256k tmpfs '${place.workspaceOf('alice')}' && exec "$@"`;
    const served = await serve(user, [], place, { through: ['unshare', '-rm', 'sh', '-c', mount, 'sh'] });
    const alice = await connectHttp(served, served.tokens.alice);
    const bob = await connectHttp(served, served.tokens.bob);
    const filling = bash(alice, 'cat /dev/zero > fill');
    expect((await bash(bob, 'head -c 1M /dev/zero > big; wc -c < big')).data.output).toBe('1048576');
    expect((await filling).text).toContain('No space left on device');
    expect((await bash(bob, 'echo "$OWN_KEY"')).data.output).toBe(ownValue('bob'));
  });

  test('KILL of cordon mcp: no process goes on, and the next start clears up', async () => {
    const place = new Place(user);
    const sleep = uniqueSleep();
    const { client, transport } = await connectStdio(place);
    const running = bash(client, `trap '' TERM HUP; setsid sleep ${sleep}`).catch(() => 'gone');
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    const [old = ''] = place.leftovers();
    process.kill(transport.pid as number, 'SIGKILL');
    expect(await running).toBe('gone');
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    expect(place.leftovers()).toEqual([old]);
    const next = await connectStdio(place, { user: 'bob' });
    expect(place.leftovers()).not.toContain(old);
    await next.client.close();
    await eventually(() => expect(place.leftovers()).toEqual([]));
  });

  test('a client that is killed, its pipes with it, ends the call and the server', async () => {
    const place = new Place(user);
    const sleep = uniqueSleep();
    const server = place.start(['mcp', '--user', 'alice', '--workspace', place.workspaceOf('alice')]);
    const send = (message: object) => server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 't', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    send({ method: 'notifications/initialized' });
    const _meta = { progressToken: 'p' };
    send({ id: 2, method: 'tools/call', params: { _meta, name: 'Bash', arguments: { command: `sleep ${sleep}` } } });
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    server.child.stdout?.destroy();
    server.child.stdin?.destroy();
    server.child.stderr?.destroy();
    await server.ended;
    expect([isRunning(sleep), place.leftovers(), readdirSync(place.workspaceOf('alice'))]).toEqual([
      false,
      [],
      ['.cordon'],
    ]);
  });

  test.each(TRANSPORTS)('a log that nobody reads holds up no call over %s', async (transport) => {
    const place = new Place(user);
    const names = Array.from({ length: 300 }, (_, i) => `A_VARIABLE_WITH_A_LONG_NAME_NUMBER_${i}`);
    place.write(place.secretsOf('alice'), `sandboxed_envs:\n${names.map((name) => `  ${name}: x\n`).join('')}`, 0o600);
    const client = await (transport === 'stdio' ? unreadStdio(place) : unreadHttp(place));
    for (let i = 0; i < 20; i++) expect((await bash(client, `echo ${i}`)).data.output).toBe(String(i));
  });
});

const DEBUG = { CORDON_LOG: 'debug' };

async function unreadStdio(place: Place) {
  const command = place.command(['mcp', '--user', 'alice', '--workspace', place.workspaceOf('alice')]);
  const transport = new StdioClientTransport({ ...command, env: place.env(DEBUG), cwd: place.home, stderr: 'pipe' });
  const client = newClient();
  atEnd(() => client.close());
  await client.connect(transport);
  return client;
}

async function unreadHttp(place: Place) {
  const served = await serve(place.user, [], place, { env: DEBUG });
  served.server.child.stderr?.removeAllListeners('data').pause();
  return connectHttp(served, served.tokens.alice);
}
