import { MEMORY, MEMORY_BY_CALL, MEMORY_WRITING } from '../../src/prove/probes/processes/memory.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

for (const probe of [MEMORY, MEMORY_BY_CALL, MEMORY_WRITING]) wayOut(probe, { off: FILTER });
