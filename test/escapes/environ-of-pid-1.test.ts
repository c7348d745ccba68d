import { ENVIRON_OF_LAUNCHER } from '../../src/prove/probes/processes/environ.ts';
import { wayOut } from '../support/escape.ts';
import { through } from '../support/escape-run.ts';

// The obvious way to clear an environment with bubblewrap leaves the old one readable in its first process.
const CLEARED_BY_BUBBLEWRAP = {
  without: 'bubblewrap itself being started with the sealed environment',
  run: (attempt: Parameters<typeof through>[0]) =>
    through(attempt, ['bwrap', '--unshare-pid', '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--clearenv']),
};

wayOut(ENVIRON_OF_LAUNCHER, { off: CLEARED_BY_BUBBLEWRAP });
