import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

// Whatever the launcher keeps for itself (its control socket, its program) must not be the command's, nor be to be had from its first process.
const LOOK = `
for fd in /proc/self/fd/*; do
  case \${fd##*/} in 0 | 1 | 2 | 3) ;; *) echo "LEAKED $fd $(readlink "$fd")" ;; esac
done
for fd in /proc/1/fd/* /proc/1/exe /proc/1/cwd; do readlink "$fd" && echo "LEAKED $fd"; done
`;

wayOut(
  {
    title: 'descriptors that the launcher needs for itself',
    starter: () => ['/bin/sh', '-c', 'exec 5</dev/null; "$@"; exit $?', 'sh'],
    trial: () => ({ sh: LOOK }),
  },
  { off: BUBBLEWRAP_ALONE },
);
