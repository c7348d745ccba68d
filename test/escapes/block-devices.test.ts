import { DISKS } from '../../src/prove/probes/kernel/past-mounts.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_DEV } from '../support/escape-off.ts';

wayOut(DISKS, {
  off: {
    root: HOST_DEV,
    'cordon-test': 'disks belong to root',
  },
});
