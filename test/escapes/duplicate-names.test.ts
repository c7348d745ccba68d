import { SECOND_VALUE, TWICE } from '../../src/prove/probes/environment/disguised.ts';
import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON, withFlags } from '../support/escape-off.ts';

wayOut(TWICE, { flags: ['--base', 'all', '--deny', 'API_TOKEN'], off: withFlags('--deny', '--base', 'all') });
wayOut(SECOND_VALUE, { off: WITHOUT_CORDON, worked: ({ canary }, { stdout }) => stdout.includes(canary) });
