import { MESSAGES, POSIX_MESSAGES } from '../../src/prove/probes/kernel/shared.ts';
import { wayOut } from '../support/escape.ts';
import { noArgument, withPlan } from '../support/escape-off.ts';

for (const probe of [MESSAGES, POSIX_MESSAGES])
  wayOut(probe, { off: withPlan('the IPC namespace', noArgument('--unshare-ipc')) });
