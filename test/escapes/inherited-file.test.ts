import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE } from '../support/escape-off.ts';

wayOut('a file that the parent left open', {
  plant: (scene) => scene.file('opened'),
  starter: ({ home }) => ['/bin/sh', '-c', `exec 9<${home}/opened; rm ${home}/opened; "$@"; exit $?`, 'sh'],
  probe: () => ({ sh: 'cat <&9; for fd in /proc/self/fd/[3-9]* /proc/$PPID/fd/*; do cat "$fd"; done' }),
  off: BUBBLEWRAP_ALONE,
});
