import { describe, expect, it } from 'vitest';
import { USERS } from '../support/users.ts';
import { inMain, put, scene } from './support.ts';

const BODY = `
  const users = Array.from({ length: 20 }, (_, i) => 'user' + i);
  const sessions = [];
  for (const user of users) for (let i = 0; i < 2; i++) sessions.push(await open({ user }));
  const counts = () => ({
    descriptors: fs.readdirSync('/proc/self/fd').length,
    files: fs.readdirSync(scene.root, { recursive: true }).length,
  });
  const wrong = [];
  let next = 0;
  const worker = async (end) => {
    while (next < end) {
      const session = sessions[(next++ * 7) % sessions.length];
      const lines = (await session.bash('env')).stdout.toString().split('\\n').filter((line) => /TOKEN|SHARED/.test(line)).sort();
      if (lines.join() !== 'OWN_TOKEN=value-of-' + session.user + ',SHARED=shared-value-1') wrong.push([session.user, lines]);
    }
  };
  const halves = [];
  for (const end of [100, 200]) { await Promise.all(Array.from({ length: 16 }, () => worker(end))); halves.push(counts()); }
  await Promise.all(sessions.map((session) => session.close()));
  const children = fs.readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
  return { wrong, halves, children, opened: sessions.length };`;

describe.each(USERS)('many users at once, as %s', (user) => {
  it('every call sees the values of its own user and no others, and nothing grows', async () => {
    const here = scene(user);
    for (let i = 0; i < 20; i++)
      put(here, `cordon/users/user${i}/secrets.yaml`, `sandboxed_envs:\n  OWN_TOKEN: value-of-user${i}\n`, 0o600);
    const { wrong, halves, children, opened } = await inMain(here, BODY);
    expect({ wrong, children, opened }).toEqual({ wrong: [], children: '', opened: 40 });
    expect(halves[1].files).toBe(halves[0].files);
    // The launchers that wait for the next call have four each, and are at most four.
    expect(halves[1].descriptors).toBeLessThanOrEqual(halves[0].descriptors + 16);
  });
});
