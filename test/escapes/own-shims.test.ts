import { ABSENT_OWN_POLICIES, OWN_SHIMS } from '../../src/prove/probes/planting/own.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(OWN_SHIMS, { flags: ['--fs', 'all'], off: FILTER });
wayOut(ABSENT_OWN_POLICIES, { flags: ['--fs', 'all'], off: FILTER });
