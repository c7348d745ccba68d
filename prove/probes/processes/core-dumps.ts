import { readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';

/** Why no limit can be lifted here. */
const switchedOff = () =>
  /^Max core file size\s+\S+\s+0\s/m.test(readFileSync('/proc/self/limits', 'utf8'))
    ? 'core dumps are switched off for this user already'
    : undefined;

export const CORE_DUMPS: Probe = {
  id: 'processes/core-dumps',
  title: 'leaving memory with secrets on disk by crashing',
  gives: 'a file with all that the program knew, for whoever reads the disk or its backup later',
  planted: 'a caller that allows core dumps',
  tried: 'lifting the limit and crashing',
  reference: 'https://man7.org/linux/man-pages/man5/core.5.html',
  promise: 'processes',
  inapplicable: switchedOff,
  starter: () => ['/bin/sh', '-c', 'ulimit -c unlimited; "$@"; exit $?', 'sh'],
  trial: () => ({
    sh: 'ulimit -c unlimited; [ "$(ulimit -c)" = 0 ] || echo LEAKED; sh -c "kill -SEGV \\$\\$"; ls core* && echo LEAKED',
  }),
};
