import { ENVIRON_OF_ANCESTORS } from '../../src/prove/probes/processes/environ.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(ENVIRON_OF_ANCESTORS, { off: FILTER });
