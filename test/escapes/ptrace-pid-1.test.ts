import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';
import { SYSCALL } from '../support/escape-probes.ts';

const ATTACH = `
${SYSCALL}
ptrace = lambda request: call(101, 117, request, 1, 0, 0)
if ptrace(0x4206) == 0: print('LEAKED by SEIZE')
elif ptrace(16) == 0 or ptrace(16 | 1 << 32) == 0:
    os.waitpid(1, 0x40000000)
    print('LEAKED by ATTACH')
    ptrace(17)
`;

wayOut('tracing the first process of the sandbox, which has seen the set-up', {
  probe: () => ({ python: ATTACH }),
  off: BUBBLEWRAP_ALONE,
});
