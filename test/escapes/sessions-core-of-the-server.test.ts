import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, ownValue, Place } from '../mcp/support.ts';
import { reach, TRANSPORTS } from '../mcp/transports.ts';
import { USERS } from '../support/users.ts';

const CASES = USERS.flatMap((user) => TRANSPORTS.map((transport) => [user, transport] as const));

/** A server has the secrets of all its sessions in memory, and whoever may start it may also say that crashes are to be kept. */
describe.each(CASES)('the memory of a server that crashes, as %s over %s', (user, transport) => {
  test('is written to no file', async () => {
    const place = new Place(user);
    const folder = join(place.workspaceOf('bob'), 'crash');
    mkdirSync(folder, { mode: 0o777 });
    const through = ['sh', '-c', `ulimit -c unlimited && cd '${folder}' && exec "$@"`, 'sh'];
    const { client, pid } = await reach(transport, place, { through });
    expect((await bash(client, 'echo "$OWN_KEY"; ulimit -c')).data.output).toBe(`${ownValue('alice')}\n0`);
    expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +0 +0 /m);
    process.kill(pid, 'SIGABRT');
    await client.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
