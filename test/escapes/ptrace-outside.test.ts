import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';
import { SYSCALL } from '../support/escape-probes.ts';

const ATTACH_ALL = `
${SYSCALL}
ATTACH, DETACH = 16, 17
for pid in filter(str.isdigit, os.listdir('/proc')):
    if int(pid) != os.getpid() and 'cordon-outside' in open(f'/proc/{pid}/cmdline').read():
        if call(101, 117, ATTACH, int(pid), 0, 0) == 0:
            os.waitpid(int(pid), 0x40000000)
            print('LEAKED', pid)
            call(101, 117, DETACH, int(pid), 0, 0)
`;

wayOut('tracing a process of the user outside', {
  plant: (scene) => scene.process(['/bin/sh', '-c', 'echo ready; read line', 'cordon-outside']),
  probe: () => ({ python: ATTACH_ALL }),
  off: FILTER,
});
