import { readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { SYSCALL } from '../../scripts.ts';

const IO_URING_SWITCH = '/proc/sys/kernel/io_uring_disabled';

function setting(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

function withoutIoUring({ uid }: Scene): string | undefined {
  const level = setting(IO_URING_SWITCH);
  return level === 2 || (level === 1 && uid !== 0) ? `${IO_URING_SWITCH} is ${level}` : undefined;
}

export const IO_URING: Probe = {
  id: 'kernel/io-uring',
  title: 'calls that go past system call filters (io_uring)',
  gives: 'files and sockets by calls that no filter sees, and the richest source of kernel flaws of late',
  planted: 'nothing: a ring is set up and closed',
  tried: 'io_uring_setup',
  reference: 'https://security.googleblog.com/2023/06/learnings-from-kctf-vrps-42-linux.html',
  promise: 'processes',
  inapplicable: withoutIoUring,
  trial: () => ({
    python: `${SYSCALL}
result = call(425, 425, 1, ctypes.create_string_buffer(120))
print('LEAKED' if result >= 0 else 'refused', result)`,
  }),
};

export const USERFAULTFD: Probe = {
  id: 'kernel/userfaultfd',
  title: 'halting the kernel in the middle of a call (userfaultfd)',
  gives: 'the patience that exploits of kernel races need',
  planted: 'nothing: a descriptor is made and closed',
  tried: 'userfaultfd for user-mode faults',
  reference: 'https://man7.org/linux/man-pages/man2/userfaultfd.2.html',
  promise: 'processes',
  trial: () => ({
    python: `${SYSCALL}
result = call(323, 282, 1)
print('LEAKED' if result >= 0 else 'refused', result)`,
  }),
};

const DMESG_SWITCH = '/proc/sys/kernel/dmesg_restrict';

export const KERNEL_LOG: Probe = {
  id: 'kernel/log',
  title: 'reading the log of the kernel',
  gives: 'what other programs and users did, addresses, devices and file names',
  planted: 'nothing: its size is asked for, nothing is read',
  tried: 'syslog(SYSLOG_ACTION_SIZE_UNREAD and _SIZE_BUFFER), opening /dev/kmsg',
  reference: 'https://man7.org/linux/man-pages/man2/syslog.2.html',
  promise: 'processes',
  inapplicable: ({ uid }) =>
    uid !== 0 && setting(DMESG_SWITCH) !== 0
      ? `${DMESG_SWITCH} is ${setting(DMESG_SWITCH)}: it is for root`
      : undefined,
  trial: () => ({
    python: `${SYSCALL}
result = call(103, 116, 3, ctypes.create_string_buffer(1), 0)
print('LEAKED' if result >= 0 else 'refused', result)
try: print('LEAKED', os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK))
except OSError as error: print(error)`,
  }),
};

const USERNS_SWITCH = '/proc/sys/user/max_user_namespaces';

export const USER_NAMESPACES: Probe = {
  id: 'kernel/user-namespaces',
  title: 'becoming root in a user namespace of its own',
  gives: 'no power outside, but parts of the kernel that are for root otherwise: where flaws are found most',
  planted: 'nothing',
  tried: 'unshare --user --map-root-user, then mounting a tmpfs there',
  reference: 'https://man7.org/linux/man-pages/man7/user_namespaces.7.html',
  promise: 'nothing',
  inapplicable: () => (setting(USERNS_SWITCH) === 0 ? `${USERNS_SWITCH} is 0` : undefined),
  trial: () => ({ sh: 'unshare --user --map-root-user --mount mount -t tmpfs tmpfs /mnt && echo LEAKED' }),
};
