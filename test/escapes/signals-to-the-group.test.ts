import { SIGNALS_TO_THE_GROUP } from '../../src/prove/probes/processes/signals.ts';
import { wayOut } from '../support/escape.ts';
import { NO_LANDLOCK, withPlan } from '../support/escape-off.ts';

wayOut(SIGNALS_TO_THE_GROUP, { off: withPlan('landlock-scope', NO_LANDLOCK) });
