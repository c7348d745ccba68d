import { execFileSync } from 'node:child_process';
import { EVERYTHING } from './extent.ts';

/** Both kinds of caller: root, where the tests run as root, and the ordinary user that the set-up makes. */
export type User = 'root' | 'cordon-test';

/** Who runs the tests, and so what they start without changing to another user. */
export const SELF: User = process.getuid?.() === 0 ? 'root' : 'cordon-test';

/** For what only root can bring about. */
export const ONLY_ROOT: readonly User[] = SELF === 'root' ? ['root'] : [];

/** Those who try everything: both, or the ordinary one, who is most like the users we have. */
export const USERS: readonly User[] = EVERYTHING ? [...ONLY_ROOT, 'cordon-test'] : ['cordon-test'];

export function identityOf(user: User): { uid: number; gid: number } {
  if (process.getuid?.() !== 0) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
