import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram, freshHome, type RunOptions, runAs, runCordon, runInOwnAccountHome } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

/** Programs where people have them: a script, an npm package, a script whose interpreter is in the home, one outside of it all. */
const SET_UP = `set -e; cd
mkdir -p .local/bin .npm-global/bin .npm-global/lib/node_modules/x .pyenv/versions/3/bin .venvs/v/bin tools proj/sub .secret
printf '[user]\\nname=Ann\\nemail=ann@example.com\\n' > .gitconfig
printf '#!/bin/sh\\necho y ran\\n' > .local/bin/y
printf '#!/usr/bin/env node\\nconsole.log("x ran", require("./dep.js"))\\n' > .npm-global/lib/node_modules/x/cli.js
echo 'module.exports = 1' > .npm-global/lib/node_modules/x/dep.js
ln -s ../lib/node_modules/x/cli.js .npm-global/bin/x
cp /bin/dash .pyenv/versions/3/bin/interp; cp /bin/dash .secret/other
ln -s ../../../.pyenv/versions/3/bin/interp .venvs/v/bin/python
printf "#!$HOME/.pyenv/versions/3/bin/interp\\necho z ran\\n" > .local/bin/z
printf "#!$HOME/.venvs/v/bin/python\\necho v ran\\n" > .local/bin/v
printf "#!$HOME/.pyenv/versions/3/bin/interp\\necho w ran\\n" > tools/w
printf "#!$HOME/.secret/other\\necho planted ran\\n" > proj/planted
chmod +x .local/bin/* .npm-global/lib/node_modules/x/cli.js tools/w proj/planted
cd proj; git init -q; git -c user.name=a -c user.email=b commit -q --allow-empty -m x; git worktree add -q ../wt`;

function scene(user: User) {
  const home = freshHome(user);
  const env = { PATH: `${home}/.npm-global/bin:${home}/.local/bin:/usr/local/bin:/usr/bin:/bin` };
  const options = (folder = 'proj'): RunOptions => ({ user, home, env, cwd: join(home, folder) });
  const made = runAs('/bin/sh', ['-c', SET_UP], { user, home, env });
  expect(made.stderr).toBe('');
  const run = (command: readonly string[], folder?: string) =>
    runCordon(['run', '--fs', 'workspace', '--', ...command], options(folder));
  return { home, options, run };
}

describe.each(USERS)('--fs workspace, as %s', (user) => {
  it('brings the program that was asked for, its package and its interpreter', () => {
    const { run } = scene(user);
    for (const [program, said] of [
      ['y', 'y ran\n'],
      ['x', 'x ran 1\n'],
      ['z', 'z ran\n'],
      ['v', 'v ran\n'],
    ] as const)
      expect(run([program])).toEqual({ code: 0, stdout: said, stderr: '' });
    expect(run(['ls', '../tools']).code).not.toBe(0);
  });

  it('names with its flag what it cannot bring, and the flag brings it', () => {
    const { home, options, run } = scene(user);
    const interp = `${home}/.pyenv/versions/3/bin/interp`;
    const refused = run([`${home}/tools/w`]);
    expect(refused.code).toBe(126);
    expect(refused.stderr).toContain(`${interp} is not shown inside; to show it: --read ${interp}\n`);
    const given = runCordon(['run', '--fs', 'workspace', '--read', interp, '--', `${home}/tools/w`], options());
    expect(given).toMatchObject({ code: 0, stdout: 'w ran\n' });
  });

  it('a script that a command could have written shows nothing', () => {
    const { home, run } = scene(user);
    const { code, stderr } = run(['./planted']);
    expect(code).toBe(126);
    expect(stderr).toContain(`--read ${home}/.secret/other`);
    expect(run(['sh', '-c', './planted; ls -a ..']).stdout).not.toContain('.secret');
  });

  it('has the repository around a folder, the one of a worktree, and whose commits these are', () => {
    const { run } = scene(user);
    expect(run(['git', 'status', '-sb'], 'proj/sub').stdout).toMatch(/^## /);
    expect(run(['git', 'commit', '-q', '--allow-empty', '-m', 'y'], 'wt')).toMatchObject({ code: 0, stderr: '' });
    expect(run(['git', 'log', '-1', '--format=%an %ae'], 'wt').stdout).toBe('Ann ann@example.com\n');
  });

  it('a shim with that base has the same', () => {
    const { home, options } = scene(user);
    for (const args of [
      ['add', 'z'],
      ['config', 'z', 'fs', 'base', 'workspace'],
    ])
      expect(runCordon(['tool', ...args], options())).toMatchObject({ code: 0 });
    expect(runAs(join(home, '.local/share/cordon/bin/z'), [], options())).toMatchObject({ code: 0, stdout: 'z ran\n' });
  });
});

it('copies that stand in one home are not what hides names in another', () => {
  const user = 'cordon-test';
  const [home, account, own, work] = [1, 2, 3, 4].map(() => freshHome(user)) as [string, string, string, string];
  const { uid, gid } = identityOf(user);
  // The only entry of the first home is hidden, then replaced by a copy: later names must not be links to that.
  writeFileSync(join(account, '.gitconfig'), '[user]\nname = Ann\n');
  for (const folder of ['.local', '.local/state', '.local/bin', 'papers']) mkdirSync(join(home, folder));
  runAs('chown', ['-R', `${uid}:${gid}`, home, account]);
  const env = { PATH: `${home}/.local/bin:/usr/bin:/bin`, CORDON_HOME: own };
  const args = [
    'run',
    '--fs',
    'workspace',
    '--',
    'sh',
    '-c',
    'cd && find . -type f; git config -f ~cordon-test/.gitconfig user.name',
  ];
  const ran = runInOwnAccountHome(cordonProgram(), args, { user, home, env, accountHome: account, cwd: work });
  expect(ran).toMatchObject({ code: 0, stdout: 'Ann\n' });
});
