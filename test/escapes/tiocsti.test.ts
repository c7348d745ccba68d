import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';
import { onTerminal, SYSCALL } from '../support/escape-probes.ts';

// EPERM is the filter's answer. Anything else, success or not, comes from the terminal itself.
const TYPE = `
${SYSCALL}
letter = ctypes.create_string_buffer(b'x')
for high in (0, 1 << 32, 0xdead << 32):
    result = call(16, 29, 0, 0x5412 | high, letter)
    print('LEAKED' if result != -1 else 'refused', result)
`;

wayOut('typing into the terminal for the shell outside (TIOCSTI)', {
  starter: () => onTerminal,
  probe: () => ({ python: TYPE }),
  off: withPlan('the system call filter', NO_SECCOMP),
});
