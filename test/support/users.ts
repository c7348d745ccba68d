import { execFileSync } from 'node:child_process';

/** Both kinds of caller: root, where the tests run as root, and the ordinary user that the set-up makes. */
export type User = 'root' | 'cordon-test';

export const USERS: readonly User[] = process.getuid?.() === 0 ? ['root', 'cordon-test'] : ['cordon-test'];

/** For what only root can bring about. */
export const ONLY_ROOT: readonly User[] = USERS.filter((user) => user === 'root');

export function identityOf(user: User): { uid: number; gid: number } {
  if (process.getuid?.() !== 0) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
