import { SHARED_MEMORY } from '../../src/prove/probes/kernel/shared.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_IPC } from '../support/escape-off.ts';

wayOut(SHARED_MEMORY, { off: HOST_IPC });
