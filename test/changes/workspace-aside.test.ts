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

  it('git is led to no other directory by what is taken over', () => {
    const world = new World(user);
    const git = (...args: string[]) => runAs('git', args, { user, home: world.home, cwd: world.work });
    git('init', '-q');
    const script = `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
      echo x >f; git add f; git commit -q -m first; cp -r .git evil; printf '[core]\n fsmonitor = touch ran; false\n' >>evil/config
      echo ../evil >.git/commondir; mkdir -p .git/info; echo x >.git/info/attributes
      mkdir sub; echo gitdir: ../evil >sub/.git; mkdir -p in/.git; cp evil/config in/.git/config`;
    expect(world.run(script, ['--workspace', 'aside']).code).toBe(0);
    const { stdout, stderr } = world.cordon(['changes', 'apply']);
    for (const name of ['.git/commondir', '.git/info/attributes', 'sub/.git', 'in/.git/config']) {
      expect(stdout).not.toContain(`/code/app/${name}\n`);
      expect(stderr).toContain(`/code/app/${name} is not applied: it is git's settings`);
    }
    git('status');
    expect(existsSync(join(world.work, 'ran'))).toBe(false);
    expect(git('log', '--format=%s').stdout).toBe('first\n');
  });

  it('a repository is neither taken away nor made at its top by what is taken over', () => {
    const world = new World(user);
    const git = (...args: string[]) => runAs('git', args, { user, home: world.home, cwd: world.work });
    git('init', '-q');
    const script = `cp -r .git/HEAD .git/config .git/objects .git/refs .; rm -r .git/HEAD .git/config .git/hooks
      printf '[core]\n bare = false\n worktree = .\n fsmonitor = touch ran; false\n' >config`;
    expect(world.run(script, ['--workspace', 'aside']).code).toBe(0);
    expect(world.cordon(['changes', 'apply']).code).toBe(1);
    git('status');
    expect(existsSync(join(world.work, 'ran'))).toBe(false);
    for (const name of ['HEAD', 'config', 'hooks']) expect(existsSync(join(world.work, '.git', name))).toBe(true);
    expect(existsSync(join(world.work, 'HEAD'))).toBe(false);
  });
});
