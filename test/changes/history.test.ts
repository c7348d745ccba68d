import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAs } from '../support/cordon.ts';
import { USERS, type User } from '../support/users.ts';
import { World } from './world.ts';

const SET_UP = `set -e; git init -q -b main; git config user.name a; git config user.email b; git config gc.auto 0
echo a >a; git add a; git commit -qm a; git branch old; git pack-refs --all; git branch keep; git checkout -qb work
echo b >>a; git commit -qam b`;

function scene(user: User) {
  const world = new World(user);
  const sh = (script: string) => runAs('/bin/sh', ['-c', script], { user, home: world.home, cwd: world.work });
  expect(sh(SET_UP)).toMatchObject({ code: 0 });
  const refs = () => sh('git for-each-ref --format="%(refname:short) %(subject)"; git symbolic-ref HEAD').stdout;
  return { world, sh, refs, aside: (script: string) => world.run(script, ['--workspace', 'aside']) };
}

describe.each(USERS)('the history of a repository that was put aside, as %s', (user) => {
  it('loses no branch where packed-refs was changed outside', () => {
    const { world, sh, refs, aside } = scene(user);
    expect(aside('git gc -q --prune=now').code).toBe(0);
    expect(sh('git branch -qD old').code).toBe(0);
    const before = refs();
    const { code, stderr } = world.cordon(['changes', 'apply']);
    expect(code).toBe(1);
    expect(stderr).toContain('/.git/packed-refs is not applied: the real one has changed since\n');
    expect(stderr).toContain(`${world.work}/.git: the history is taken over together or not at all`);
    expect(stderr).not.toContain('refs/heads');
    expect(refs()).toBe(before);
    expect(sh('git fsck --strict')).toMatchObject({ code: 0 });
  });

  it('is left alone, with the files taken over, where the index was changed outside; --force takes it', () => {
    const { world, sh, refs, aside } = scene(user);
    expect(aside('echo x >>a; echo n >new; git add new; git commit -qam aside').code).toBe(0);
    sh('echo y >other; git add other');
    const before = refs();
    expect(world.cordon(['changes', 'apply']).code).toBe(1);
    expect(refs()).toBe(before);
    expect(sh('git status --short').stdout).toBe(' M a\nA  other\n?? new\n');
    expect(world.cordon(['changes', 'apply', '--force', join(world.work, '.git')]).code).toBe(0);
    expect(refs()).toContain('work aside\n');
    expect(sh('git status --short').stdout).toBe('?? other\n');
  });

  it('is not removed by half, where the removal of HEAD has to be named', () => {
    const { world, sh, refs, aside } = scene(user);
    const before = refs();
    expect(aside('rm -rf .git').code).toBe(0);
    for (const flags of [[], ['--force']]) {
      expect(world.cordon(['changes', 'apply', ...flags])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('together or not at all'),
      });
      expect(refs()).toBe(before);
      expect(sh('git status --short; git fsck --strict')).toMatchObject({ code: 0, stdout: '' });
    }
  });

  it('is taken over whole where nothing was changed outside', () => {
    const { world, sh, refs, aside } = scene(user);
    expect(
      aside('echo x >>a; git checkout -qb feature/new; git commit -qam aside; git pack-refs --all; git repack -adqn')
        .code,
    ).toBe(0);
    expect(world.cordon(['changes', 'apply'])).toMatchObject({ code: 0, stderr: '' });
    expect(refs()).toBe('feature/new aside\nkeep a\nmain a\nold a\nwork b\nrefs/heads/feature/new\n');
    expect(sh('git status --short; git fsck --strict')).toMatchObject({ code: 0, stdout: '' });
  });
});
