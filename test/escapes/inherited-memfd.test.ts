import { MEMORY_FILE } from '../../src/prove/probes/descriptors/channels.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

wayOut(MEMORY_FILE, { off: BUBBLEWRAP_ALONE });
