import { wayOut } from '../support/escape.ts';
import { noLine, withPlan } from '../support/escape-off.ts';

wayOut('leaving memory with secrets on disk by crashing', {
  starter: () => ['/bin/sh', '-c', 'ulimit -c unlimited; "$@"; exit $?', 'sh'],
  probe: () => ({
    sh: 'ulimit -c unlimited; [ "$(ulimit -c)" = 0 ] || echo LEAKED; sh -c "kill -SEGV \\$\\$"; ls core* && echo LEAKED',
  }),
  off: withPlan('limit core', noLine('limit core')),
});
