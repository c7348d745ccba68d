import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAs } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';
import { World } from './world.ts';

const SCRIPT = `sed -i s/d/D/ text; echo new >new; printf '\\0\\2' >>binary; rm gone; rm -r folder; mkdir folder; echo z >folder/z
  chmod +x text; printf nl >"$(printf 'odd\\n name')"; echo hook >.git/hooks/post-commit; echo x >~/outside`;

describe.each(USERS)('a workspace that is put aside, as %s', (user) => {
  const scene = () => {
    const world = new World(user);
    world.put('code/app/text', 'a\nb\nc\nd\ne\nf\ng\nh\n');
    world.put('code/app/binary', Buffer.from([0, 1, 2, 3]));
    world.put('code/app/gone', 'gone\n');
    world.put('code/app/folder/y', 'y\n');
    runAs('git', ['init', '-q'], { user, home: world.home, cwd: world.work });
    expect(world.run(SCRIPT, ['--workspace', 'aside']).code).toBe(0);
    expect(world.text('code/app/text')).toBe('a\nb\nc\nd\ne\nf\ng\nh\n');
    return world;
  };
  const check = (world: World) => {
    expect(world.text('code/app/text')).toBe('a\nb\nc\nD\ne\nf\ng\nh\n');
    expect(world.text('code/app/new')).toBe('new\n');
    expect(world.text('code/app/odd\n name')).toBe('nl');
    expect(world.text('code/app/binary')).toBe('\0\x01\x02\x03\0\x02');
    expect(world.text('code/app/folder/z')).toBe('z\n');
    for (const name of ['gone', 'folder/y', '.git/hooks/post-commit'])
      expect(existsSync(join(world.work, name))).toBe(false);
  };

  it('is a diff that git takes', () => {
    const world = scene();
    const { stdout, stderr } = world.cordon(['changes', 'diff']);
    expect(stderr).toContain('more outside');
    expect(stdout).not.toContain('outside');
    const patch = join(world.home, 'patch');
    writeFileSync(patch, stdout);
    expect(runAs('git', ['apply', patch], { user, home: world.home, cwd: world.work })).toMatchObject({
      code: 0,
      stderr: '',
    });
    check(world);
    expect(statSync(join(world.work, 'text')).mode & 0o111).not.toBe(0);
  });

  it('is taken over, but for what git would run', () => {
    const world = scene();
    const { stderr } = world.cordon(['changes', 'apply', 'code/app'], world.home);
    expect(stderr).toContain('it is a git hook; to take it over, name it');
    check(world);
  });
});
