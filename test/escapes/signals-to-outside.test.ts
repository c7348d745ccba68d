import { SIGNALS } from '../../src/prove/probes/processes/signals.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(SIGNALS, { off: FILTER });
