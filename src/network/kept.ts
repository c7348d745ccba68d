import { statSync } from 'node:fs';

/**
 * Whether other processes of the user are kept from reading this one: the launcher does that before Node begins, unless it may not trace.
 * The kernel gives the files of such a process to root; what belongs to root anyway can't be told apart, and needs no telling.
 */
export const isKept = (): boolean => {
  const own = process.getuid?.();
  return own === 0 || statSync('/proc/self/mem').uid !== own;
};
