import { FILE_HANDLES } from '../../src/prove/probes/kernel/past-mounts.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

wayOut(FILE_HANDLES, {
  off: {
    root: BUBBLEWRAP_ALONE,
    'cordon-test': 'needs a capability over the whole machine',
  },
});
