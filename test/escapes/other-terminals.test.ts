import { READING_OTHERS, WRITING_TO_OTHERS } from '../../src/prove/probes/terminal/others.ts';
import { wayOut } from '../support/escape.ts';
import { instead, withPlan } from '../support/escape-off.ts';

const HOST_DEV = withPlan('the private /dev', instead('sandbox --dev /dev', 'sandbox --dev-bind /dev /dev'));

for (const probe of [READING_OTHERS, WRITING_TO_OTHERS]) wayOut(probe, { off: HOST_DEV });
