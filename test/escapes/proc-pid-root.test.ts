import { OPEN_FILES, ROOT_AND_CWD } from '../../src/prove/probes/processes/look.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

for (const probe of [OPEN_FILES, ROOT_AND_CWD]) wayOut(probe, { off: FILTER });
