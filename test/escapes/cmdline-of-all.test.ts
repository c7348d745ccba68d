import { COMMAND_LINES } from '../../src/prove/probes/processes/look.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(COMMAND_LINES, { off: FILTER });
