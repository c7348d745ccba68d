import { expect, it } from 'vitest';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';
import { USERS, type User } from '../support/users.ts';

/** In a mount namespace of its own, with a state folder on a disk that is full to the last block. */
const SCRIPT = `
mount -t tmpfs tmpfs ~root && mount -t tmpfs -o size=64k tmpfs "$HOME" && mkdir -p "$HOME/.local/state/cordon" || exit 99
dd if=/dev/zero of="$HOME/fill" bs=4k 2>/dev/null
: >"$TMPDIR/cordon-0-state-warned-$$-1" # of an earlier session with the same id
mkdir -p /tmp/cordon-0-state-warned-1-1 && trap 'rmdir /tmp/cordon-0-state-warned-1-1' EXIT # of somebody else, and no file
"$0" run -- echo launched
"$0" run -- sh -c 'exit 7'
`;

/** What each launch wrote is gone: the home is full in one scene, and cannot be written in the other. */
const LOSES = (makeUseless: string) => `
mount -t tmpfs tmpfs ~root && mount -t tmpfs -o size=1m tmpfs "$HOME" && mkdir "$HOME/work" && cd "$HOME/work" || exit 99
${makeUseless}
for round in 1 2; do "$0" run -- sh -c 'echo x > ~/lost'; done
"$0" run -- true
`;

it.each([
  ['is full', 'dd if=/dev/zero of="$HOME/fill" bs=4k 2>/dev/null', 'No space left on device'],
  [
    'is full once it was used',
    '"$0" run -- true; dd if=/dev/zero of="$HOME/fill" bs=4k 2>/dev/null',
    'No space left on device',
  ],
  ['is read-only', 'mount -o remount,bind,ro "$HOME"', 'Read-only file system'],
])('what is lost because the home %s is told each time, with the reason', (_, makeUseless, reason) => {
  const args = ['-w', 'unshare', '-rm', 'sh', '-c', LOSES(makeUseless), cordonProgram()];
  const { code, stderr } = runAs('/usr/bin/setsid', args, {
    user: USERS[0] as User,
    home: freshHome(USERS[0] as User),
    env: { TMPDIR: freshHome(USERS[0] as User) },
    cwd: '/',
  });
  const told = stderr.split('\n').filter((line) => line.includes('could not be kept'));
  const line = `cordon: sh: warning: 1 file written outside the workspace could not be kept: ${reason}`;
  expect({ code, told }, stderr).toEqual({ code: 0, told: [line, line] });
});

it.each(USERS)('a full disk under the state folder stops no launch of %s, and is said once', (user) => {
  const home = freshHome(user);
  const ran = runAs('/usr/bin/setsid', ['-w', 'unshare', '-rm', 'sh', '-c', SCRIPT, cordonProgram()], {
    user,
    home,
    env: { TMPDIR: freshHome(user) },
    cwd: '/',
  });
  expect(ran).toMatchObject({ code: 7, stdout: 'launched\n' });
  expect(ran.stderr.match(/the state folder cannot be written/g)).toHaveLength(1);
});
