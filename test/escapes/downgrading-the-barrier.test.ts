import { describe, expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

// A command that makes the next barrier fail has switched it off, if the answer to that is to go on without one.
describe.each(USERS)('more than bubblewrap can take, for %s', (user) => {
  const launched = (scene: Scene, args: readonly string[] = [], flags: readonly string[] = []) =>
    runCordon(['run', ...flags, '--', '/bin/sh', '-c', 'echo started', ...args], {
      ...{ user, home: scene.home, cwd: scene.work },
    });

  it('in the home is no way to have the next command start without the barrier', () => {
    const scene = new Scene(user);
    for (let i = 0; i < 3000; i++) scene.file(`.${i}_history`, '');
    const { code, stdout, stderr } = launched(scene);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('too much for bubblewrap');
  });

  it('with names too long for one command line is none either', () => {
    const scene = new Scene(user);
    const long = 'x'.repeat(240);
    for (let i = 0; i < 2500; i++) scene.file(`${long}/${long}/.env.${i}${long}`, '');
    const { code, stdout } = launched(scene);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  it('as arguments of the command is none either', () => {
    const { code, stdout } = launched(new Scene(user), Array.from({ length: 9000 }, String));
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  it('would not be noticed by a launch that is content with the filter', () => {
    const scene = new Scene(user);
    for (let i = 0; i < 3000; i++) scene.file(`.${i}_history`, '');
    const { code, stdout } = launched(scene, Array.from({ length: 9000 }, String), ['--isolation', 'filter']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'started\n' });
  });
});
