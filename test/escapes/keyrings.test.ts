import { SESSION_KEYRING, USER_KEYRING } from '../../src/prove/probes/kernel/keyrings.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER, NO_SECCOMP, withPlan } from '../support/escape-off.ts';

const UNFILTERED = withPlan('the system call filter', NO_SECCOMP);

wayOut(SESSION_KEYRING, { off: UNFILTERED });
// The barrier has a user namespace, with a keyring of the user of its own.
wayOut(USER_KEYRING, { off: FILTER });
