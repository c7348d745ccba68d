import { POSIX_SHARED_MEMORY } from '../../src/prove/probes/kernel/shared.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_DEV } from '../support/escape-off.ts';

wayOut(POSIX_SHARED_MEMORY, { off: HOST_DEV });
