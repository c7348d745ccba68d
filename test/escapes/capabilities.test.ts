import { ENTERING } from '../../src/prove/probes/kernel/past-mounts.ts';
import { CAPABILITIES, MACHINE, PACKETS } from '../../src/prove/probes/kernel/root-powers.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE, FILTER } from '../support/escape-off.ts';

const NONE = 'has none to begin with: see set-user-id';

wayOut(CAPABILITIES, { off: { root: BUBBLEWRAP_ALONE, 'cordon-test': NONE } });
wayOut(PACKETS, { off: { root: BUBBLEWRAP_ALONE, 'cordon-test': NONE } });
wayOut(MACHINE, {
  off: {
    root: BUBBLEWRAP_ALONE,
    'cordon-test': NONE,
  },
});
wayOut(ENTERING, { off: { root: FILTER, 'cordon-test': NONE } });
