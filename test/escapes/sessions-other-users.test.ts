import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectHttp, serve } from '../mcp/http-support.ts';
import { bash, eventually, isRunning, ownValue, uniqueSleep } from '../mcp/support.ts';
import { USERS } from '../support/users.ts';

/** All that a command can look at, where something of another user's might be. */
const lookAround = (around: string, home: string) => `
  cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo /proc/net/unix
  for fd in /proc/[0-9]*/fd/*; do readlink "$fd"; done
  cat ${home}/secrets.yaml ${home}/users/*/secrets.yaml ${home}/tokens/* ${home}/state/audit.jsonl
  ls -R ${around} ${home} /workspace/.. ; cat ${around}/bob/* ${around}/bob/.cordon/* /workspace/../bob/*
  ls -laR /tmp /var/tmp /dev/shm /run /dev/mqueue; cat /tmp/* /dev/shm/* /var/tmp/* /dev/mqueue/*
  ipcs -a; ipcs -m; cat /proc/sysvipc/*; cat /proc/keys
  ls -d /proc/[0-9]* | wc -l`;

const SHOW =
  'PART=$(printf %s "$OWN_KEY"); echo "$PART" > note; echo "$PART" > /tmp/note; echo "$PART" > /dev/shm/note; ipcmk -M 64';

/** Two users of one server are one user of the machine: nothing but the sandbox stands between them. */
describe.each(USERS)("another user's call at the same time, as %s", (user) => {
  test('cannot be seen, read, or ended', async () => {
    const served = await serve(user);
    const { workspaces, home } = served.place;
    const [alice, bob] = await Promise.all([
      connectHttp(served, served.tokens.alice),
      connectHttp(served, served.tokens.bob),
    ]);
    const sleep = uniqueSleep();
    const theirs = bash(bob, `${SHOW}; sleep ${sleep} & wait`).catch(() => 'ended');
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    const { data } = await bash(alice, `{ ${lookAround(workspaces, home)}\n} 2>&1`);
    const seen = readFileSync(
      join(workspaces, 'alice', String(data.output_file).slice('/workspace/'.length)),
      'latin1',
    );
    expect(seen).toContain(ownValue('alice'));
    for (const other of [ownValue('bob'), sleep, served.tokens.bob, 'not-of-a-user']) expect(seen).not.toContain(other);
    const killed = await bash(alice, 'kill -9 -1; for pid in $(seq 2 40000); do kill -9 $pid; done 2>/dev/null; true');
    expect(killed.data.exit_code).toBeGreaterThanOrEqual(0);
    expect(isRunning(sleep)).toBe(true);
    await bob.close();
    expect(await theirs).toBe('ended');
  });
});
