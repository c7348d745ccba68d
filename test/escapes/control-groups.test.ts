import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON } from '../support/escape-off.ts';

// A command shares its control group with the shell that started it, or has the limits of a session there. Root owns the group: it could
// end and stop all that is in it (cgroup.kill, cgroup.freeze) and lift those limits. An ordinary user's sandboxes inside need the namespace.
const MOUNT = `
import ctypes, os, tempfile
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWCGROUP, NEWUSER = 0x20000, 0x2000000, 0x10000000
uid = os.getuid()
for flags in (NEWUSER | NEWNS | NEWCGROUP, NEWCGROUP, 0):
    made = libc.unshare(flags) == 0
    mounted = libc.mount(b'none', tempfile.mkdtemp().encode(), b'cgroup2', 0, None) == 0
    print(made, mounted, 'LEAKED' if mounted and uid == 0 else 'refused')
`;

wayOut(
  { title: 'control groups, mounted in a namespace of its own', trial: () => ({ python: MOUNT }) },
  { off: { root: WITHOUT_CORDON, 'cordon-test': 'the groups are those of root' } },
);
