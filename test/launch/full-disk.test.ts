import { expect, it } from 'vitest';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';

/** In a mount namespace of its own, with a state folder on a disk that is full to the last block. */
const SCRIPT = `
mount -t tmpfs tmpfs ~root && mount -t tmpfs -o size=64k tmpfs "$HOME" && mkdir -p "$HOME/.local/state/cordon" || exit 99
dd if=/dev/zero of="$HOME/fill" bs=4k 2>/dev/null
: >"$TMPDIR/cordon-0-state-warned-$$-1" # of an earlier session with the same id
mkdir -p /tmp/cordon-0-state-warned-1-1 && trap 'rmdir /tmp/cordon-0-state-warned-1-1' EXIT # of somebody else, and no file
"$0" run -- echo launched
"$0" run -- sh -c 'exit 7'
`;

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
