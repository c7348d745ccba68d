import { MESSAGES, POSIX_MESSAGES } from '../../src/prove/probes/kernel/shared.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_IPC } from '../support/escape-off.ts';

for (const probe of [MESSAGES, POSIX_MESSAGES]) wayOut(probe, { off: HOST_IPC });
