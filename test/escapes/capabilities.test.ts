import { ENTERING } from '../../src/prove/probes/kernel/past-mounts.ts';
import { CAPABILITIES, MACHINE, PACKETS } from '../../src/prove/probes/kernel/root-powers.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER, KEEP_CAPABILITIES, NO_SECCOMP, withPlan } from '../support/escape-off.ts';

const NONE = 'has none to begin with: see set-user-id';
const KEPT = withPlan('--cap-drop ALL', KEEP_CAPABILITIES);

wayOut(CAPABILITIES, { off: { root: KEPT, 'cordon-test': NONE } });
wayOut(PACKETS, { off: { root: KEPT, 'cordon-test': NONE } });
wayOut(MACHINE, {
  off: {
    root: withPlan('--cap-drop ALL and the system call filter', KEEP_CAPABILITIES, NO_SECCOMP),
    'cordon-test': NONE,
  },
});
wayOut(ENTERING, { off: { root: FILTER, 'cordon-test': NONE } });
