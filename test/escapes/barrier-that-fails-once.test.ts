import { join } from 'node:path';
import { expect, it } from 'vitest';
import { begin } from '../../prove/attempt.ts';
import { installedPackage } from '../support/cordon.ts';
import { ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const PLAN = [
  ...['cordon-plan 2', 'name t', 'set PATH /usr/bin:/bin', 'command /bin/echo', 'arg echo', 'arg started'],
  ...['isolation auto', 'supervise', 'root machine', 'read /no/such/place', 'proc', 'dev', 'end', ''],
].join('\n');

const NO_NAMESPACES = [
  ...['unshare', '-U', '-r', 'sh', '-c', 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"', 'sh'],
];

// A path that vanished makes this one sandbox fail; where a barrier can be made at all, that must not cost it.
it.each(USERS)('a sandbox that cannot be set up is no reason to start without one, for %s', async (user) => {
  const scene = new Scene(user);
  const run = (starter: readonly string[]) => {
    const argv = [join(installedPackage(), 'dist/native/cordon-launch'), '--plan-fd=3'];
    const env = { HOME: scene.home, PATH: '/usr/bin:/bin' };
    return ended(begin({ scene, env, starter, starterIsOurs: false }, { argv, plan: PLAN }));
  };
  const refused = await run([]);
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 125, stdout: '' });
  expect(refused.stderr).toContain('/no/such/place');
  // Where no barrier can ever be made, `auto` falls back, as it says.
  const { code, stdout, stderr } = await run(NO_NAMESPACES);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'started\n' });
});
