import type { Probe } from '../../probe.ts';
import { FOREIGN_ABI, SESSION_KEYRING, USER_KEYRING } from './keyrings.ts';
import { MOUNTED_TWICE, REMOUNTING, SECOND_PROC, UNMOUNTING } from './mounts.ts';
import { NAMESPACES_USED_UP } from './namespaces.ts';
import { DISKS, ENTERING, FILE_HANDLES } from './past-mounts.ts';
import { CAPABILITIES, MACHINE, PACKETS } from './root-powers.ts';
import { SET_USER_ID } from './set-user-id.ts';
import { MESSAGES, POSIX_MESSAGES, POSIX_SHARED_MEMORY, SHARED_MEMORY } from './shared.ts';
import { PROC_SYS, SYS } from './steering.ts';
import { IO_URING, KERNEL_LOG, USER_NAMESPACES, USERFAULTFD } from './surface.ts';

export const KERNEL: readonly Probe[] = [
  ...[SESSION_KEYRING, USER_KEYRING, FOREIGN_ABI],
  ...[SHARED_MEMORY, MESSAGES, POSIX_SHARED_MEMORY, POSIX_MESSAGES],
  ...[SECOND_PROC, MOUNTED_TWICE, UNMOUNTING, REMOUNTING],
  ...[SET_USER_ID, CAPABILITIES, DISKS, FILE_HANDLES, ENTERING, MACHINE, PACKETS],
  ...[PROC_SYS, SYS],
  ...[IO_URING, USERFAULTFD, KERNEL_LOG, USER_NAMESPACES, NAMESPACES_USED_UP],
];
