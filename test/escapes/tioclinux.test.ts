import { onTerminal, SYSCALL } from '../../prove/scripts.ts';
import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';

// A pseudo-terminal does not know it and says ENOTTY; a console would paste.
const PASTE = `
${SYSCALL}
code = ctypes.create_string_buffer(b'\\x03')
for high in (0, 1 << 32, 0xdead << 32):
    result = call(16, 29, 0, 0x541c | high, code)
    print('LEAKED' if result != -1 else 'refused', result)
`;

wayOut(
  {
    title: 'pasting into the console (TIOCLINUX)',
    starter: () => onTerminal,
    trial: () => ({ python: PASTE }),
  },
  { off: withPlan('the system call filter', NO_SECCOMP) },
);
