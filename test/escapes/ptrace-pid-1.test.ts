import { TRACING_THE_PARENT } from '../../src/prove/probes/processes/taking-hold.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

wayOut(TRACING_THE_PARENT, { off: BUBBLEWRAP_ALONE });
