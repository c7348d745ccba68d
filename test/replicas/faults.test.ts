import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shardOf } from '../../src/mcp/http/shards.ts';
import { Replicas } from '../mcp/replica-support.ts';
import { eventually, isRunning, ownValue, uniqueSleep } from '../mcp/support.ts';
import { serverOf } from '../mcp/transports.ts';
import { USERS } from '../support/users.ts';

const PEOPLE = ['user0', 'user1', 'user2', 'user3', 'user4', 'user5'];
const [HERE, THERE] = [0, 1].map((number) => PEOPLE.find((name) => shardOf(name, 2) === number)) as [string, string];

/** In a container each has process numbers of its own, and both may share a home. */
const OWN_NUMBERS = { through: ['unshare', '-rpf', '--mount-proc', '--kill-child'] };

describe.each(USERS)('faults around two servers of %s', (user) => {
  test('the server that runs a call is killed: its client hears that nobody knows, and the next call goes on', async () => {
    const replicas = await new Replicas(user, [HERE, THERE]).startAll(OWN_NUMBERS);
    const [id, other, sleep] = [await replicas.open(THERE, 0), await replicas.open(HERE, 0), uniqueSleep()];
    const running = replicas.call(THERE, id, `touch began; sleep ${sleep}; touch over`, 0);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    replicas.server(1).child.kill('SIGKILL');
    const { text, output } = await running;
    expect([output, text]).toEqual([undefined, expect.stringContaining('it is unknown whether the call ran')]);
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    expect(readdirSync(replicas.place.workspaceOf(THERE))).not.toContain('over');

    const away = await replicas.call(THERE, id, 'touch ran', 0);
    expect([away.status, away.text]).toEqual([503, expect.stringContaining('nothing was run')]);
    expect(readdirSync(replicas.place.workspaceOf(THERE))).not.toContain('ran');
    expect((await replicas.call(HERE, other, 'echo "$OWN_KEY"', 0)).output).toBe(ownValue(HERE));

    await replicas.server(1).ended;
    await replicas.start(1, OWN_NUMBERS);
    expect((await replicas.call(THERE, id, 'touch ran', 0)).status).toBe(404);
    const fresh = await replicas.open(THERE, 0);
    expect((await replicas.call(THERE, fresh, 'echo "$OWN_KEY"', 0)).output).toBe(ownValue(THERE));
    // That of the server that was killed is gone, those of the two that run are there.
    await eventually(() => expect(replicas.place.leftovers()).toHaveLength(2));
    expect((await replicas.call(HERE, other, 'echo "$OWN_KEY"', 1)).output).toBe(ownValue(HERE));
  });

  test('the server that was asked is killed: the call ends, and the session is found at its own', async () => {
    const replicas = await new Replicas(user, [HERE, THERE]).startAll(OWN_NUMBERS);
    const [id, sleep] = [await replicas.open(THERE, 0), uniqueSleep()];
    const running = replicas.call(THERE, id, `sleep ${sleep}; touch over`, 0).catch(() => 'broken off');
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    replicas.server(0).child.kill('SIGKILL');
    expect(await running).toBe('broken off');
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    expect((await replicas.call(THERE, id, 'ls; echo "$OWN_KEY"', 1)).output).toBe(ownValue(THERE));
  });

  test('the server that was asked is told to end: whoever waits hears of it in words', async () => {
    const replicas = new Replicas(user, [HERE, THERE], { more: ['--drain', '1'] });
    await replicas.startAll();
    const [id, sleep] = [await replicas.open(THERE, 0), uniqueSleep()];
    const running = replicas.call(THERE, id, `sleep ${sleep}; touch over`, 0);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    replicas.server(0).child.kill('SIGTERM');
    const { text, output } = await running;
    expect([output, text]).toEqual([undefined, expect.stringContaining('unknown whether the call ran to its end')]);
    expect(await replicas.server(0).ended).toBe(0);
    await eventually(() => expect(isRunning(sleep)).toBe(false));
  });

  test('a full disk at one: the other goes on, and nothing is reported as done that was not', async () => {
    const replicas = new Replicas(user, [HERE, THERE]);
    const state = join(replicas.place.home, 'state');
    const filled = `mkdir -p '${state}' && mount -t tmpfs -o size=64k tmpfs '${state}' && head -c 1M /dev/zero > '${state}/fill'; exec "$@"`;
    const full = await replicas.start(1, { through: ['unshare', '-rm', 'sh', '-c', filled, 'sh'] });
    await replicas.start(0);
    const [ofFull, ofOther] = [await replicas.open(THERE, 0), await replicas.open(HERE, 1)];
    for (const at of [0, 1]) {
      expect((await replicas.call(HERE, ofOther, 'echo "$OWN_KEY"', at)).output).toBe(ownValue(HERE));
      const { output } = await replicas.call(THERE, ofFull, `echo "$OWN_KEY"; touch done${at}`, at);
      const isDone = readdirSync(replicas.place.workspaceOf(THERE)).includes(`done${at}`);
      // That the record of it could not be written is said below the output.
      expect([output?.split('\n')[0], isDone]).toEqual(isDone ? [ownValue(THERE), true] : [undefined, false]);
    }
    rmSync(`/proc/${serverOf(full.child.pid as number)}/root${state}/fill`);
    const mended = await replicas.open(THERE, 0);
    expect((await replicas.call(THERE, mended, 'echo "$OWN_KEY"', 0)).output).toBe(ownValue(THERE));
  });
});
