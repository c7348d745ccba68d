import { FORGED_RECORDS } from '../../src/prove/probes/planting/own.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(FORGED_RECORDS, { flags: ['--fs', 'all'], off: FILTER });
