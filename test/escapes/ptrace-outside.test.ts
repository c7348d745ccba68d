import { TRACING } from '../../src/prove/probes/processes/taking-hold.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(TRACING, { off: FILTER });
