import { SHARED_MEMORY } from '../../src/prove/probes/kernel/shared.ts';
import { wayOut } from '../support/escape.ts';
import { noArgument, withPlan } from '../support/escape-off.ts';

wayOut(SHARED_MEMORY, { off: withPlan('the IPC namespace', noArgument('--unshare-ipc')) });
