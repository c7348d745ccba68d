import { chownSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installedPackage, runAs } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS, type User } from '../support/users.ts';

const LAUNCHER = () => join(installedPackage(), 'dist/native/cordon-launch');
const plan = (text: string) =>
  `#!${LAUNCHER()}\ncordon-plan 2\nname tool\nallow *\ncommand /bin/echo\narg echo\n${text}`;
const SOUND = 'arg ran\nisolation filter\nend\n';

function shim(user: User, text: string, mode = 0o755): { scene: Scene; path: string } {
  const scene = new Scene(user);
  const path = scene.file('bin-of-mine/tool', plan(text), mode);
  return { scene, path };
}

const started = ({ scene, path }: { scene: Scene; path: string }) =>
  runAs(path, [], { user: scene.user, home: scene.home });

describe.each(USERS)('a shim, run by %s', (user) => {
  it('runs when nothing is wrong with it', () => {
    expect(started(shim(user, SOUND))).toMatchObject({ code: 0, stdout: 'ran\n' });
  });

  it.each([
    ['that the group can write', 0o775],
    ['that anyone can write', 0o757],
  ])('%s is refused', (_, mode) => {
    const { code, stdout, stderr } = started(shim(user, SOUND, mode));
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('others can write to it');
  });

  it('of another user is refused, also behind a link of one’s own', () => {
    const { scene, path } = shim(user, SOUND);
    chownSync(path, 4711, 4711);
    const link = join(scene.home, 'link');
    symlinkSync(path, link);
    for (const at of [path, link]) {
      const { code, stdout, stderr } = started({ scene, path: at });
      expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
      expect(stderr).toContain('belongs to user 4711');
    }
  });

  it.each([
    ['cut short', 'arg ran\nisolation filter\n'],
    ['cut in a line', 'arg ran\nisolation fil'],
    ['with a raw control byte', `arg r\x01an\n${SOUND}`],
    ['with a NUL byte', `arg r\0an\n${SOUND}`],
    ['with an unknown instruction', `elevate\n${SOUND}`],
    ['with a bad escape', `arg \\q\n${SOUND}`],
    ['with something after its end', `${SOUND}arg more\n`],
  ])('%s is refused, and nothing is started', (_, text) => {
    const { code, stdout, stderr } = started(shim(user, text));
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(/^cordon: /);
  });

  it('that is a pipe is refused instead of waited for', () => {
    const scene = new Scene(user);
    runAs('mkfifo', [join(scene.home, 'pipe')], { user, home: scene.home });
    expect(runAs(LAUNCHER(), [join(scene.home, 'pipe')], { user, home: scene.home })).toMatchObject({ code: 125 });
  });
});
