import { wayOut } from '../support/escape.ts';
import { noMount, withPlan } from '../support/escape-off.ts';

// Opened for writing is enough: nothing is written. core_pattern would run a program as root outside.
// What /proc/pressure takes is a request to be woken; the limits in OWN are those of the sandbox's own namespaces.
const OPEN = `
import os, re
OWN = re.compile('/proc/sys/(fs/mqueue/|kernel/(auto_msgmni|msg|sem|shm|ns_last_pid|pid_max))')
def knock(path):
    if OWN.match(path): return
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
        print('LEAKED', path)
    except OSError: pass
for name in ('kernel/core_pattern', 'kernel/modprobe', 'kernel/hotplug', 'kernel/sysrq', 'fs/suid_dumpable', 'vm/drop_caches', 'kernel/randomize_va_space'):
    knock('/proc/sys/' + name)
for name in ('sysrq-trigger', 'irq/default_smp_affinity', 'mtrr', 'timer_list', 'kcore', 'acpi/wakeup'):
    knock('/proc/' + name)
for folder, folders, files in os.walk('/proc'):
    if folder == '/proc': folders[:] = [f for f in folders if not f.isdigit() and f not in ('self', 'thread-self', 'net', 'pressure')]
    for name in files: knock(os.path.join(folder, name))
`;

wayOut('steering the kernel through /proc', {
  probe: () => ({ python: OPEN }),
  off: {
    root: withPlan('the read-only /proc/sys', noMount('/proc/sys')),
    'cordon-test': 'these files belong to root, which an ordinary user is not inside either',
  },
});
