import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';
import { SYSCALL } from '../support/escape-probes.ts';

const SESSION = -3;

/** A key in a session keyring of the parent's, which children inherit. */
const HOLD = `
${SYSCALL}
import sys
text = sys.argv[1].encode()
call(250, 219, 1, ctypes.c_char_p(b'cordon-test'))
if call(248, 217, ctypes.c_char_p(b'user'), ctypes.c_char_p(b'cordon-secret'), ctypes.c_char_p(text), len(text), ${SESSION}) < 0: sys.exit('no key')
os.execvp(sys.argv[2], sys.argv[2:])
`;

const READ = `
${SYSCALL}
text = ctypes.create_string_buffer(200)
key = call(250, 219, 10, ${SESSION}, ctypes.c_char_p(b'user'), ctypes.c_char_p(b'cordon-secret'), 0)
print(key, call(250, 219, 11, key, text, 200), text.value)
key = call(249, 218, ctypes.c_char_p(b'user'), ctypes.c_char_p(b'cordon-secret'), 0, ${SESSION})
print(key, call(250, 219, 11, key, text, 200), text.value)
if call(248, 217, ctypes.c_char_p(b'user'), ctypes.c_char_p(b'planted'), ctypes.c_char_p(b'x'), 1, ${SESSION}) > 0: print('LEAKED')
`;

wayOut("reading and planting keys in the kernel's keyrings", {
  starter: ({ canary }) => ['python3', '-c', HOLD, canary],
  probe: () => ({ python: READ }),
  off: withPlan('the system call filter', NO_SECCOMP),
});
