import { describe, expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const LONG = 'x'.repeat(240);

/** What a command finds of the key and of the histories, with so many arguments. */
function launched(scene: Scene, { flags = [], args = [] }: { flags?: readonly string[]; args?: readonly string[] }) {
  scene.file('.ssh/id_rsa');
  const look = 'cat ~/.ssh/id_rsa ~/.7_history 2>/dev/null; echo started';
  const argv = ['run', ...flags, '--', '/bin/sh', '-c', look, ...args];
  return runCordon(argv, { user: scene.user, home: scene.home, cwd: scene.work });
}

// A command that makes the next barrier fail has switched it off, if the answer to that is to go on without one.
describe.each(USERS)('a great deal of what has to be held back from %s', (user) => {
  const started = { code: 0, stdout: 'started\n' };

  it('in the home is no way to have the next command start without the barrier', () => {
    const scene = new Scene(user);
    for (let i = 0; i < 3000; i++) scene.file(`.${i}_history`);
    expect(launched(scene, {})).toMatchObject(started);
  });

  it('in folders with long names is none either', () => {
    const scene = new Scene(user);
    for (let i = 0; i < 2500; i++) scene.file(`${LONG}/${LONG}/.env.${i}${LONG}`.slice(0, 730), '');
    expect(launched(scene, {})).toMatchObject(started);
  });

  it('as arguments of the command is none either', () => {
    expect(launched(new Scene(user), { args: Array.from({ length: 9000 }, String) })).toMatchObject(started);
  });

  it('is read where a launch is content with the filter', () => {
    const scene = new Scene(user);
    for (let i = 0; i < 3000; i++) scene.file(`.${i}_history`);
    const { stdout } = launched(scene, { flags: ['--isolation', 'filter'] });
    expect(stdout.split(scene.canary)).toHaveLength(3);
  });
});
