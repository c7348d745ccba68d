import { INSPECTOR } from '../../src/prove/probes/processes/inspector.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(INSPECTOR, { off: FILTER });
