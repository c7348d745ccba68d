import { SYS } from '../../src/prove/probes/kernel/steering.ts';
import { wayOut } from '../support/escape.ts';
import { moreLine, withPlan } from '../support/escape-off.ts';

wayOut(SYS, {
  off: {
    root: withPlan('the read-only /sys', moreLine('write /sys')),
    'cordon-test': 'these files belong to root, which an ordinary user is not inside either',
  },
});
