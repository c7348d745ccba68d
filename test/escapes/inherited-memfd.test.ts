import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

const HOLD = `
import os, sys
fd = os.memfd_create('secret', 0)
os.write(fd, sys.argv[1].encode())
os.dup2(fd, 7)
os.execvp(sys.argv[2], sys.argv[2:])
`;

wayOut('an anonymous file in memory that the parent left open', {
  starter: ({ canary }) => ['python3', '-c', HOLD, canary],
  probe: () => ({
    sh: 'for fd in /proc/self/fd/[3-9]* /proc/1/fd/*; do cat "$fd"; done',
  }),
  off: BUBBLEWRAP_ALONE,
});
