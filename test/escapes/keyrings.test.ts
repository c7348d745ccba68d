import { SESSION_KEYRING, USER_KEYRING } from '../../src/prove/probes/kernel/keyrings.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER, NO_SECCOMP, withPlan } from '../support/escape-off.ts';

const UNFILTERED = withPlan('the system call filter', NO_SECCOMP);

wayOut(SESSION_KEYRING, { off: UNFILTERED });
// For an ordinary user bubblewrap makes a user namespace, which has a keyring of the user of its own.
wayOut(USER_KEYRING, { off: { root: UNFILTERED, 'cordon-test': FILTER } });
