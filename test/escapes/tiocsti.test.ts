import { TYPING } from '../../src/prove/probes/terminal/typing.ts';
import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';

// EPERM is the filter's answer. Anything else, success or not, comes from the terminal itself.
wayOut(TYPING, {
  off: withPlan('the system call filter', NO_SECCOMP),
  worked: (_, { stdout }) => /LEAKED|refused (?!-1\r?$)/m.test(stdout),
});
