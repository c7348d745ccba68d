import type { Probe } from '../../probe.ts';
import { onlyRoot } from './only-root.ts';

const BELONG_TO_ROOT = onlyRoot('these files belong to root');

// Opened for writing is enough: nothing is written. core_pattern would run a program as root outside.
// What /proc/pressure takes is a request to be woken; the limits in OWN are those of the sandbox's own namespaces.
const OPEN_PROC = `
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

export const PROC_SYS: Probe = {
  id: 'kernel/proc-sys',
  title: 'steering the kernel through /proc',
  gives: 'a program of one’s choice run by the kernel, as root, outside every sandbox (core_pattern)',
  planted: 'nothing: the files are opened for writing and closed again',
  tried: 'opening /proc/sys and the rest of /proc for writing',
  reference: 'https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html',
  promise: 'processes',
  inapplicable: BELONG_TO_ROOT,
  trial: () => ({ python: OPEN_PROC }),
};

const OPEN_SYS = `
import os
for folder, folders, files in os.walk('/sys'):
    for name in files:
        try:
            os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
            print('LEAKED', folder, name)
            break
        except OSError: pass
    if folder.count('/') > 4: folders.clear()
`;

export const SYS: Probe = {
  id: 'kernel/sys',
  title: 'steering the kernel through /sys',
  gives: 'devices, power, control groups, and helpers that the kernel starts as root',
  planted: 'nothing: the files are opened for writing and closed again',
  tried: 'opening files in /sys for writing',
  reference: 'https://man7.org/linux/man-pages/man5/sysfs.5.html',
  promise: 'processes',
  inapplicable: BELONG_TO_ROOT,
  trial: () => ({ python: OPEN_SYS }),
};
