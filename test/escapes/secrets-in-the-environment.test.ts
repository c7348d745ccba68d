import { DISGUISED, ENCODED } from '../../src/prove/probes/environment/disguised.ts';
import { BY_NAME } from '../../src/prove/probes/environment/secrets.ts';
import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON } from '../support/escape-off.ts';

for (const probe of [...BY_NAME, ...DISGUISED, ENCODED]) wayOut(probe, { off: WITHOUT_CORDON });
