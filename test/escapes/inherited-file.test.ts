import { BEYOND_1000, DELETED_FILE, FILE } from '../../src/prove/probes/descriptors/files.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

for (const probe of [FILE, DELETED_FILE, BEYOND_1000]) wayOut(probe, { off: BUBBLEWRAP_ALONE });
