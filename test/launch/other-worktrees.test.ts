import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, runAs, runCordon } from '../support/cordon.ts';
import { USERS, type User } from '../support/users.ts';

const SET_UP = `set -e; umask 022; mkdir code; git init -q code/main; cd code/main
git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git worktree add -q ../other; git worktree add -q ../gone
git config gc.worktreePruneExpire now; git config gc.auto 0; echo text >../other/text; chmod 755 ~/code`;

function scene(user: User) {
  const home = freshHome(user);
  const sh = (script: string, folder = '') => runAs('/bin/sh', ['-c', script], { user, home, cwd: join(home, folder) });
  expect(sh(SET_UP)).toMatchObject({ code: 0 });
  const run = (script: string, folder = 'code/main') =>
    runCordon(['run', '--', 'sh', '-c', script], { user, home, cwd: join(home, folder) });
  return { home, sh, run, listed: () => sh('git worktree list --porcelain', 'code/main').stdout };
}

describe.each(USERS)('the other worktrees of a repository, as %s', (user) => {
  it.each(['git worktree prune', 'git gc --quiet'])('%s leaves them alone, and forgets one that is gone', (command) => {
    const { home, run, listed, sh } = scene(user);
    rmSync(join(home, 'code/gone'), { recursive: true });
    expect(run(`${command}; ls -A ../other; echo x >../other/.git`).stdout).toBe('.git\n');
    expect(listed()).toContain('/code/other\n');
    expect(listed()).not.toContain('/code/gone');
    expect(sh('git status --short', 'code/other')).toMatchObject({ code: 0, stdout: '?? text\n' });
    expect(run('git worktree prune', 'code/other').code).toBe(0);
    expect(listed()).toContain('/code/main\n');
  });

  it('shows no file for which a command only claims to be one', () => {
    const { home, run } = scene(user);
    const own = join(home, 'code/main/.git/worktrees/other');
    const at = (path: string) => join(home, 'code', path);
    writeFileSync(at('private'), `gitdir: ${own}\n`);
    for (const claim of [at('private'), join(home, 'linked/.git'), join(home, 'more/.git')]) {
      runAs('/bin/mkdir', ['-p', join(claim, '..')], { user, home });
      if (claim.includes('linked')) symlinkSync(at('private'), claim);
      if (claim.includes('more')) writeFileSync(claim, `gitdir: ${own}\nand a secret\n`);
      writeFileSync(join(own, 'gitdir'), `${claim}\n`);
      expect(run(`cat ${claim}`)).toMatchObject({ code: 1, stdout: '' });
    }
  });

  it('a launch in a worktree that changes nothing leaves no record', () => {
    const { home, run } = scene(user);
    expect(run('git status --short; stat -c %a ~/code', 'code/other').stdout).toBe('?? text\n755\n');
    const { stdout } = runCordon(['changes', '--json'], { user, home, cwd: join(home, 'code/other') });
    expect(stdout).not.toContain('code"');
  });

  it.each([[], ['--read', '../beside'], ['--write', '../beside', '--read', '../note']])(
    'a launch beside one, with what is mounted beside it (%s), leaves no record',
    (...flags) => {
      const { home, sh } = scene(user);
      const cwd = join(home, 'code/main');
      sh('mkdir beside; chmod 700 beside; echo text >note', 'code');
      const ran = runCordon(['run', ...flags, '--', 'sh', '-c', 'cat ../other/.git'], { user, home, cwd });
      expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('gitdir: ') });
      expect(runCordon(['changes'], { user, home, cwd }).stdout).toBe('nothing is put aside\n');
    },
  );
});
