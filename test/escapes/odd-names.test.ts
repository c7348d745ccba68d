import { NO_NAMES, ODD_NAMES } from '../../src/prove/probes/environment/disguised.ts';
import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON, withFlags } from '../support/escape-off.ts';

wayOut(ODD_NAMES, { off: withFlags('the base os-common', '--base', 'all') });
wayOut(NO_NAMES, { flags: ['--base', 'all'], off: WITHOUT_CORDON });
