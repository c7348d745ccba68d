import { SYSCALL } from '../../prove/scripts.ts';
import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';

const UNFILTERED = withPlan('the system call filter', NO_SECCOMP);

// Called with nonsense: a refusal by the filter is EPERM or ENOSYS, anything else comes from the call itself.
const CALL = `
${SYSCALL}
REFUSED = (-1, -38)
none = ctypes.c_void_p()
calls = {
    'io_uring_setup': (425, 425, 1, none),
    'pidfd_getfd': (438, 438, -1, 0, 0),
    'open_by_handle_at': (304, 265, -1, none, 0),
    'vsock': (41, 198, 40, 1, 0),
}
for name, (x64, arm, *args) in calls.items():
    result = call(x64, arm, *args)
    print(name, result, 'refused' if result in REFUSED or name == 'vsock' and result == -97 else 'LEAKED')
`;

wayOut(
  { title: 'parts of the kernel that ordinary tools do without', trial: () => ({ python: CALL }) },
  { off: UNFILTERED },
);
