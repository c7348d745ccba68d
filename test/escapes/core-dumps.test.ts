import { CORE_DUMPS } from '../../src/prove/probes/processes/core-dumps.ts';
import { wayOut } from '../support/escape.ts';
import { noLine, withPlan } from '../support/escape-off.ts';

wayOut(CORE_DUMPS, { off: withPlan('limit core', noLine('limit core')) });
