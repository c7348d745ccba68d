import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

// Walks up until there is no parent, as far as /proc knows.
const CLIMB = `
import os
pid = os.getppid()
while pid:
    try: print(open(f'/proc/{pid}/environ', errors='replace').read())
    except OSError as error: print(pid, error)
    pid = int(open(f'/proc/{pid}/stat').read().rpartition(') ')[2].split()[1])
`;

wayOut('reading the environments of all ancestors from /proc', {
  env: () => ({}),
  starter: ({ canary }) => [
    '/usr/bin/env',
    `API_TOKEN=${canary}`,
    '/bin/sh',
    '-c',
    'env -u API_TOKEN "$@"; exit $?',
    'sh',
  ],
  probe: () => ({ python: CLIMB }),
  off: FILTER,
});
