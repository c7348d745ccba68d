import { chmodSync, chownSync, copyFileSync, existsSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';

const NOBODY = 65534;

/** A program that runs as another user wherever that works: sudo and su are of that kind. */
function plantOtherIdentity({ home, uid }: Scene): void {
  const program = `${home}/other-identity`;
  copyFileSync('/usr/bin/id', program);
  if (process.getuid?.() === 0) chownSync(program, uid === 0 ? NOBODY : 0, -1);
  chmodSync(program, 0o6755);
}

export const SET_USER_ID: Probe = {
  id: 'kernel/set-user-id',
  title: 'becoming another user with a set-user-ID program',
  gives: 'the way to root: sudo without a password, and every flaw in su, mount or pkexec',
  planted: 'a set-user-ID copy of id, where root can make one',
  tried: 'running it, and looking for NoNewPrivs in /proc/self/status',
  reference: 'https://docs.kernel.org/userspace-api/no_new_privs.html',
  promise: 'processes',
  inapplicable: () => (existsSync('/usr/bin/id') ? undefined : 'there is no /usr/bin/id to copy'),
  plant: plantOtherIdentity,
  trial: ({ home }) => ({
    sh: `${home}/other-identity | grep euid= && echo LEAKED; grep 'NoNewPrivs:.0' /proc/self/status && echo LEAKED`,
  }),
};
