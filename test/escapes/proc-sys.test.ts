import { PROC_SYS } from '../../src/prove/probes/kernel/steering.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

wayOut(PROC_SYS, {
  off: {
    root: BUBBLEWRAP_ALONE,
    'cordon-test': 'these files belong to root, which an ordinary user is not inside either',
  },
});
