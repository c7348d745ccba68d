import { DISKS } from '../../src/prove/probes/kernel/past-mounts.ts';
import { wayOut } from '../support/escape.ts';
import { instead, withPlan } from '../support/escape-off.ts';

wayOut(DISKS, {
  off: {
    root: withPlan('the private /dev', instead('sandbox --dev /dev', 'sandbox --dev-bind /dev /dev')),
    'cordon-test': 'disks belong to root',
  },
});
