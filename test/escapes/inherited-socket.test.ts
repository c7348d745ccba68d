import { PIPE, SOCKET } from '../../src/prove/probes/descriptors/channels.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

for (const probe of [SOCKET, PIPE]) wayOut(probe, { off: BUBBLEWRAP_ALONE });
