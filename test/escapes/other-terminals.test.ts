import { READING_OTHERS, WRITING_TO_OTHERS } from '../../src/prove/probes/terminal/others.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_DEV } from '../support/escape-off.ts';

for (const probe of [READING_OTHERS, WRITING_TO_OTHERS]) wayOut(probe, { off: HOST_DEV });
