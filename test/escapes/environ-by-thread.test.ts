import { ENVIRON_BY_THREAD } from '../../src/prove/probes/processes/environ.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(ENVIRON_BY_THREAD, { off: FILTER });
