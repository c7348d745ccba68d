import { FOREIGN_ABI } from '../../src/prove/probes/kernel/keyrings.ts';
import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';

wayOut(FOREIGN_ABI, { off: withPlan('the system call filter', NO_SECCOMP) });
