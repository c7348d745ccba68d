import { wayOut } from '../support/escape.ts';
import { NO_LANDLOCK, withPlan } from '../support/escape-off.ts';

// The command shares the caller's process group, so that pipelines and job control work: kill 0 goes to all of it.
const NEIGHBOUR = `
import os, signal, subprocess, sys
signal.signal(signal.SIGUSR2, lambda *_: print('LEAKED', flush=True))
subprocess.run(sys.argv[1:], close_fds=False, preexec_fn=lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN))
`;

wayOut('a signal to the whole process group', {
  starter: () => ['python3', '-c', NEIGHBOUR],
  probe: () => ({ sh: 'kill -USR2 0' }),
  off: withPlan('landlock-scope', NO_LANDLOCK),
});
