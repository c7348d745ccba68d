import { SECOND_PROC } from '../../src/prove/probes/kernel/mounts.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(SECOND_PROC, { off: FILTER });
