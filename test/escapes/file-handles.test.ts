import { FILE_HANDLES } from '../../src/prove/probes/kernel/past-mounts.ts';
import { wayOut } from '../support/escape.ts';
import { KEEP_CAPABILITIES, NO_SECCOMP, withPlan } from '../support/escape-off.ts';

wayOut(FILE_HANDLES, {
  off: {
    root: withPlan('--cap-drop ALL and the system call filter', KEEP_CAPABILITIES, NO_SECCOMP),
    'cordon-test': 'needs a capability over the whole machine',
  },
});
