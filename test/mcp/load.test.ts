import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Figures, figuresOf, inTurn, openAll, printedEnvironment } from '../../bench/mcp/http-load.ts';
import { TokenStore } from '../../src/mcp/http/tokens.ts';
import { identityOf, USERS } from '../support/users.ts';
import { startServer } from './http-support.ts';
import { eventually, GLOBAL_VALUE, ownValue, Place } from './support.ts';
import { serverOf } from './transports.ts';

const PEOPLE = Array.from({ length: 200 }, (_, i) => `user${i}`);
const EACH = 5;
const ROUND = 200;
const expected = (name: string) => [
  'HOME=/workspace',
  `OWN_KEY=${ownValue(name)}`,
  'PATH=/usr/bin:/bin',
  `SHARED=${GLOBAL_VALUE}`,
];

/** Workspace, secrets and token of each; the last made here, since the program makes one at a time. */
function settle(place: Place): Map<string, string> {
  const store = TokenStore.ofHome(place.home);
  const { uid, gid } = identityOf(place.user);
  const tokens = new Map<string, string>();
  for (const name of PEOPLE) {
    for (const folder of [place.workspaceOf(name), join(place.home, 'users', name)]) {
      mkdirSync(folder, { mode: 0o700 });
      chownSync(folder, uid, gid);
    }
    place.write(place.secretsOf(name), `sandboxed_envs:\n  OWN_KEY: ${ownValue(name)}\n`, 0o600);
    tokens.set(name, store.add(name).token);
  }
  const folder = join(place.home, 'tokens');
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(path, uid, gid);
  return tokens;
}

const filesIn = (place: Place) => readdirSync(place.workspaces, { recursive: true }).length;

describe.each(USERS)('a thousand sessions over HTTP, as %s', (user) => {
  test('every call sees exactly the values of its own user, and nothing grows', async () => {
    const place = new Place(user);
    const tokens = settle(place);
    const { server, origin } = await startServer(place, place.profile('session: { output_files: 1 }\n'));
    const target = { origin, pid: serverOf(server.child.pid as number), tokens };
    const sessions = await openAll(target, EACH);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(PEOPLE.length * EACH);
    const figures = [];
    for (let round = 0; round < 2; round++) {
      // Another session of every user in each round.
      const chosen = sessions.filter((_, i) => i % EACH === round);
      const seen = await inTurn(ROUND, 32, (i) => printedEnvironment(origin, chosen[i] as (typeof chosen)[number]));
      expect(seen).toEqual(chosen.map(({ user: name }) => expected(name)));
      // In each workspace one file of output, which the call before left to it, and two that are always there.
      await eventually(() => expect(filesIn(place)).toBe(PEOPLE.length * 4 + 2));
      figures.push(await figuresOf(target, place.home));
    }
    const [first, last] = figures as [Figures, Figures];
    console.log(JSON.stringify({ user, first, last }));
    // Where two sandboxes of a workspace overlapped, a second note of git's settings stays there, empty: one for each at most.
    expect(last.files - first.files).toBeLessThanOrEqual(PEOPLE.length);
    expect(last.processes).toBeLessThanOrEqual(4);
    // Connections that the client keeps open are counted, at most as many as calls at once.
    expect(last.descriptors - first.descriptors).toBeLessThanOrEqual(32);
    expect(last.megabytes - first.megabytes).toBeLessThan(100);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(place.leftovers()).toEqual([]);
  }, 400_000);
});
