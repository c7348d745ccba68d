import { SYSCALL } from '../../prove/scripts.ts';
import { wayOut } from '../support/escape.ts';
import { noLine, withPlan } from '../support/escape-off.ts';

// The kernel asks for nothing but the same user, not even whether a process may be looked into. Without files to open, our process could
// not look after git's settings when the command has ended.
const LIMIT = `
${SYSCALL}
import ctypes, resource
room = (ctypes.c_uint64 * 2)(*[max(value, 0) for value in resource.getrlimit(resource.RLIMIT_NOFILE)])
if call(302, 261, 1, 7, ctypes.addressof(room), 0) == 0: print('LEAKED')
`;

wayOut(
  { title: 'taking away what the first process of the sandbox may open', trial: () => ({ python: LIMIT }) },
  { off: withPlan('seccomp', noLine('seccomp ')) },
);
