import { ENVIRON_OF_OTHERS } from '../../src/prove/probes/processes/environ.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(ENVIRON_OF_OTHERS, { off: FILTER });
