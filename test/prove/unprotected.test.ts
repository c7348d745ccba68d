import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { leaked, planted, tried } from '../../prove/attempt.ts';
import { NOTHING } from '../../prove/launchers.ts';
import type { Probe } from '../../prove/probe.ts';
import { PROBES } from '../../prove/probes/index.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS, type User } from '../support/users.ts';

/** What can't be tried by one of the users, wherever the tests run. Whoever adds to this says why in the probe. */
const NEVER_TRIED: Readonly<Record<User, readonly string[]>> = {
  root: ['injection/ps4'],
  'cordon-test': [
    ...['kernel/capabilities', 'kernel/disks', 'kernel/file-handles', 'kernel/entering-namespaces'],
    ...['kernel/machine', 'kernel/packets', 'kernel/proc-sys', 'kernel/sys'],
  ],
};

/** What a kernel may refuse by itself: the setting is in the reason. */
const SETTING = /^\/proc\/sys\/\S+ is \d/;

/** Programs that the set-up for the tests does not install. */
const OPTIONAL = ['node', 'npm', 'ruby', 'lua', 'php', 'java', 'fish', 'direnv', 'docker', 'openssl'];

const isAbsent = (program: string) =>
  ['/usr/local/bin', '/usr/bin', '/bin'].every((folder) => !existsSync(`${folder}/${program}`));

function isExcused({ id }: Probe, user: User, reason: string): boolean {
  const [, program = ''] = /^(\S+) is not installed$/.exec(reason) ?? [];
  return NEVER_TRIED[user].includes(id) || SETTING.test(reason) || (OPTIONAL.includes(program) && isAbsent(program));
}

describe.each(USERS)('with nothing around it, for %s', (user) => {
  it.each(PROBES.map((probe) => [probe.id, probe] as const))('%s leaks, or says why it cannot', async (_, probe) => {
    const scene = new Scene(user);
    const reason = probe.inapplicable?.(scene);
    if (reason !== undefined) {
      expect(isExcused(probe, user, reason), reason).toBe(true);
      return;
    }
    const attempt = await planted(probe, scene);
    const outcome = await tried(attempt, NOTHING.start(attempt));
    expect(leaked(probe, scene, outcome), `${outcome.stdout}\n${outcome.stderr}`).toBe(true);
  });

  it('what is excused is still there to be excused', () => {
    const ids = new Set<string>(PROBES.map(({ id }) => id));
    for (const id of NEVER_TRIED[user]) expect(ids).toContain(id);
  });
});
