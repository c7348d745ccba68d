import { wayOut } from '../support/escape.ts';
import { through } from '../support/escape-run.ts';

// The obvious way to clear an environment with bubblewrap leaves the old one readable in its first process.
const CLEARED_BY_BUBBLEWRAP = {
  without: 'bubblewrap itself being started with the sealed environment',
  run: (attempt: Parameters<typeof through>[0]) =>
    through(attempt, ['bwrap', '--unshare-pid', '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--clearenv']),
};

wayOut('reading the environment that the sandbox was started with from /proc/1', {
  env: ({ canary }) => ({ API_TOKEN: canary }),
  probe: () => ({ sh: 'cat /proc/[0-9]*/environ /proc/1/task/*/environ 2>&1' }),
  off: CLEARED_BY_BUBBLEWRAP,
});
