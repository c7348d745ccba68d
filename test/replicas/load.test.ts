import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Replicas } from '../mcp/replica-support.ts';
import { type Asked, groupsOf, Load } from '../mcp/restart-load.ts';
import { ownValue } from '../mcp/support.ts';

/** The more the better: .ci/run has a few minutes for all of this. */
const PEOPLE = Number(process.env.CORDON_TEST_PEOPLE ?? 20);
const EACH = 5;
const AT_ONCE = 8;
const LIMIT_MS = 150_000 + PEOPLE * 2000;
const NAMES = Array.from({ length: PEOPLE }, (_, i) => `user${i}`);

const asked = (replicas: Replicas): Asked => ({
  open: (name, number) => replicas.open(name, number % 2),
  call: (name, id, command, number) => replicas.call(name, id, command, number % 2),
  fateOf: (error) => ((error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED' ? 'not run' : 'unknown'),
  ownValue,
});

const ranOf = (replicas: Replicas) => (name: string) => {
  try {
    return readFileSync(join(replicas.place.workspaceOf(name), 'ran'), 'utf8')
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
};

async function restartAll(replicas: Replicas): Promise<void> {
  for (const number of [0, 1]) {
    replicas.server(number).child.kill('SIGTERM');
    expect(await replicas.server(number).ended).toBe(0);
    await replicas.start(number);
  }
}

describe(`${PEOPLE} users with ${EACH} sessions each over two servers`, () => {
  test(
    'one restart after the other: no other’s value, nothing reported that was not, nothing without a word',
    async () => {
      const more = ['--drain', '20', '--max-rate', '100000'];
      const replicas = await new Replicas('cordon-test', NAMES, { more }).startAll();
      const load = new Load(asked(replicas), groupsOf(NAMES, replicas.homeOf, AT_ONCE / 2), EACH);
      await load.open();
      const before = await load.run('before', 1);
      const during = await load.run('during', restartAll(replicas));
      const after = await load.run('after', 2);
      console.log(JSON.stringify({ people: PEOPLE, sessions: load.sessions, before, during, after }));

      expect(load.contradictions(ranOf(replicas))).toEqual([]);
      expect(before).toMatchObject({ notRun: 0, unknown: 0 });
      expect(during.done).toBeGreaterThan(0);
      // Sessions of a server that was restarted are not found once each, and then opened anew.
      expect(after.unknown).toBe(0);
      expect(load.unserved).toEqual([]);
    },
    LIMIT_MS,
  );
});
