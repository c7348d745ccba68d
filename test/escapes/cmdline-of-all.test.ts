import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut('reading the command lines of all processes', {
  plant: (scene) => scene.process(['/bin/sh', '-c', 'echo ready; read line', 'login', `--password=${scene.canary}`]),
  probe: () => ({ sh: 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/comm | tr "\\0" "\\n"; ps auxww' }),
  off: FILTER,
});
