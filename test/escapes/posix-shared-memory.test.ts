import { POSIX_SHARED_MEMORY } from '../../src/prove/probes/kernel/shared.ts';
import { wayOut } from '../support/escape.ts';
import { instead, withPlan } from '../support/escape-off.ts';

wayOut(POSIX_SHARED_MEMORY, {
  off: withPlan('the private /dev', instead('sandbox --dev /dev', 'sandbox --dev-bind /dev /dev')),
});
