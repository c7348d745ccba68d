import { FUNCTIONS, LOCALE } from '../../src/prove/probes/environment/steering.ts';
import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON } from '../support/escape-off.ts';

wayOut(LOCALE, { off: WITHOUT_CORDON });
wayOut(FUNCTIONS, { flags: ['--base', 'all'], off: WITHOUT_CORDON });
