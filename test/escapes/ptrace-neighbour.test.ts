import { SYSCALL } from '../../prove/scripts.ts';
import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';

// A neighbour in the sandbox stands for any process: only the system call filter keeps this one from being traced.
const ATTACH = `
${SYSCALL}
import subprocess
neighbour = subprocess.Popen(['cat'], stdin=subprocess.PIPE)
for request in (16, 0x4206):
    if call(101, 117, request, neighbour.pid, 0, 0) == 0:
        print('LEAKED', request)
        break
neighbour.kill()
`;

wayOut(
  { title: 'tracing a process that did not ask for it', trial: () => ({ python: ATTACH }) },
  { off: withPlan('the system call filter', NO_SECCOMP) },
);
