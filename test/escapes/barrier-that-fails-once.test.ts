import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installedPackage, runAs } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';

const plan = (bwrap: string) =>
  `cordon-plan 1\nname t\nset PATH /usr/bin:/bin\ncommand /bin/echo\narg echo\narg started\nisolation auto\nsupervise\nbwrap ${bwrap}\n` +
  'sandbox --as-pid-1 --unshare-pid --die-with-parent --bind / / --dev /dev --proc /proc --bind /no/such/place /tmp\nend\n';

// A path that vanished makes this one sandbox fail; where bubblewrap works at all, that must not cost the barrier.
it.each(USERS)('a sandbox that cannot be set up is no reason to start without one, for %s', (user) => {
  const launcher = join(installedPackage(), 'dist/native/cordon-launch');
  const run = (bwrap: string) =>
    runAs('/bin/sh', ['-c', 'cat | "$0" --plan-fd=3 3<&0 </dev/null', launcher], { user, input: plan(bwrap) });
  const refused = run('/usr/bin/bwrap');
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 125, stdout: '' });
  expect(refused.stderr).toContain('could not be set up this time');
  // Where bubblewrap never works, `auto` falls back, as it says.
  expect(run('/bin/false')).toMatchObject({ code: 0, stdout: 'started\n' });
});
