import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { SYSCALL } from '../../scripts.ts';

const KEYRINGS = 'https://man7.org/linux/man-pages/man7/keyrings.7.html';
const SESSION = -3;
const OF_THE_USER = -4;

/** Python: calls of the key service. */
const KEYS = `
${SYSCALL}
import sys
text = lambda given: ctypes.c_char_p(given.encode())
add_key = lambda name, value, ring: call(248, 217, text('user'), text(name), text(value), len(value), ring)
request_key = lambda name: call(249, 218, text('user'), text(name), 0, ${SESSION})
keyctl = lambda *args: call(250, 219, *args)
def show(key):
    value = ctypes.create_string_buffer(200)
    print(key, keyctl(11, key, value, 200), value.value)
`;

/** A key in a session keyring of the caller's, which children inherit. */
const HOLD = `
${KEYS}
keyctl(1, text('cordon-prove'))
if add_key('cordon-secret', sys.argv[1], ${SESSION}) < 0: sys.exit('no key')
os.execvp(sys.argv[2], sys.argv[2:])
`;

const READ = `
${KEYS}
show(keyctl(10, ${SESSION}, text('user'), text('cordon-secret'), 0))
show(request_key('cordon-secret'))
if add_key('planted', 'x', ${SESSION}) > 0: print('LEAKED')
`;

export const SESSION_KEYRING: Probe = {
  id: 'kernel/session-keyring',
  title: "reading and planting keys in the kernel's session keyring",
  gives: 'keys of disks and file systems, tickets of Kerberos, what programs keep there as the safest place',
  planted: 'a key in the session keyring of the caller, which children inherit',
  tried: 'searching and reading it, and adding one',
  reference: KEYRINGS,
  promise: 'processes',
  starter: ({ canary }) => ['python3', '-c', HOLD, canary],
  trial: () => ({ python: READ }),
};

const nameOf = ({ canary }: Scene) => `cordon-${canary.slice(-12)}`;

const KEEP = `
${KEYS}
key = add_key(sys.argv[1], sys.argv[2], ${OF_THE_USER})
print('ready' if key > 0 else 'no key', flush=True)
sys.stdin.read()
`;

const FORGET = `
${KEYS}
keyctl(21, keyctl(10, ${OF_THE_USER}, text('user'), text(sys.argv[1]), 0))
`;

// Linked into a keyring of one's own, the user's keyring opens.
const LINK = (name: string) => `
${KEYS}
keyctl(1, text('cordon-prove'))
keyctl(8, ${OF_THE_USER}, ${SESSION})
show(keyctl(10, ${SESSION}, text('user'), text('${name}'), 0))
`;

export const USER_KEYRING: Probe = {
  id: 'kernel/user-keyring',
  title: "reading keys in the kernel's keyring of the user",
  gives: 'what any program of the user keeps in the kernel; keyrings are in no namespace',
  planted: "a key in the user's keyring, added by another process",
  tried: 'linking the keyring into one of its own and reading the key',
  reference: 'https://man7.org/linux/man-pages/man7/user-keyring.7.html',
  promise: 'processes',
  plant: async (scene) => {
    scene.atEnd(() => scene.command(['python3', '-c', FORGET, nameOf(scene)]));
    await scene.process(['python3', '-c', KEEP, nameOf(scene), scene.canary]);
  },
  trial: (scene) => ({ python: LINK(nameOf(scene)) }),
};

// keyctl(GET_KEYRING_ID, session) by the numbers of i386: push rbx; eax, ebx, ecx, edx; int 0x80; pop rbx; ret. The filter may end it.
const FOREIGN = `
${SYSCALL}
import mmap
if os.fork() == 0:
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes.fromhex('53 b820010000 bb00000000 b9fdffffff ba01000000 cd80 5b c3'))
    result = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    print('LEAKED by i386' if result > 0 else result, flush=True)
    os._exit(0)
os.wait()
if call(0x40000000 + 250, 250, 0, -3, 1) > 0: print('LEAKED by x32')
`;

export const FOREIGN_ABI: Probe = {
  id: 'kernel/foreign-abi',
  title: 'calling the kernel by the numbers of another ABI',
  gives: 'every system call that a filter refuses only by its usual number',
  planted: 'a key in the session keyring of the caller',
  tried: 'keyctl by its i386 number (int 0x80), and by that of x32',
  reference: 'https://man7.org/linux/man-pages/man2/seccomp.2.html',
  promise: 'processes',
  inapplicable: () => (process.arch === 'x64' ? undefined : 'only x86-64 has such a second set of numbers'),
  starter: ({ canary }) => ['python3', '-c', HOLD, canary],
  trial: () => ({ python: FOREIGN }),
};
