import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { USERS } from '../support/users.ts';
import { callOf, openById, post, type Served, serve, startServer } from './http-support.ts';
import { eventually, ownValue, type Place } from './support.ts';

/** As in a container: its own process numbers, so that those of two servers are the same. */
const OWN_NUMBERS = ['unshare', '-rpf', '--mount-proc', '--kill-child'];

const startBeside = async (served: Served): Promise<Served> => ({
  ...served,
  ...(await startServer(served.place, [], { through: OWN_NUMBERS })),
});

/** The folders of sessions, without the process they belong to. */
const sessionFolders = (place: Place) =>
  place.leftovers().flatMap((mark) =>
    readdirSync(join(place.home, 'state/sessions', mark), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name),
  );

async function works(served: Served, id: string, user: 'alice' | 'bob') {
  const answer = await post(served, served.tokens[user], callOf('echo "$OWN_KEY"'), { 'mcp-session-id': id });
  expect(await answer.text()).toContain(`"output":"${ownValue(user)}"`);
}

describe.each(USERS)('servers of %s that share one state folder, each with process numbers of its own', (user) => {
  test('none removes what another needs, and what a killed one left goes with the next start', async () => {
    const first = await serve(user, [], undefined, { through: OWN_NUMBERS });
    const { place } = first;
    const ofFirst = await openById(first, first.tokens.alice);
    const [folder] = sessionFolders(place);
    const second = await startBeside(first);
    const ofSecond = await openById(second, second.tokens.bob);
    expect(sessionFolders(place)).toHaveLength(2);
    expect(sessionFolders(place)).toContain(folder);
    await works(first, ofFirst, 'alice');
    await works(second, ofSecond, 'bob');
    expect(readdirSync(join(place.home, 'state/serve'))).toHaveLength(2);

    first.server.child.kill('SIGKILL');
    await first.server.ended;
    expect(sessionFolders(place)).toContain(folder);
    const third = await startBeside(first);
    await works(third, await openById(third, third.tokens.alice), 'alice');
    await eventually(() => expect(sessionFolders(place)).not.toContain(folder));
    expect(sessionFolders(place)).toHaveLength(2);
    await works(second, ofSecond, 'bob');
  });
});
