import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runAs } from '../support/cordon.ts';
import { USERS, type User } from '../support/users.ts';
import { World } from './world.ts';

const SET_UP = `set -e; git init -q -b main; git config user.name a; git config user.email b; git config gc.auto 0
echo a >a; git add a; git commit -qm a`;

/** Version 2, with any names and modes, as no git would write it. */
function indexOf(entries: readonly { readonly name: string; readonly mode: number; readonly id: string }[]): Buffer {
  const start = Buffer.alloc(12);
  start.write('DIRC');
  start.writeUInt32BE(2, 4);
  start.writeUInt32BE(entries.length, 8);
  const parts = entries.map(({ name, mode, id }) => {
    const length = 62 + Buffer.byteLength(name);
    const entry = Buffer.alloc(Math.floor((length + 8) / 8) * 8);
    entry.writeUInt32BE(mode, 24);
    Buffer.from(id, 'hex').copy(entry, 40);
    entry.writeUInt16BE(Buffer.byteLength(name), 60);
    entry.write(name, 62);
    return entry;
  });
  const whole = Buffer.concat([start, ...parts]);
  return Buffer.concat([whole, createHash('sha1').update(whole).digest()]);
}

const [FILE, REPOSITORY] = [0o100755, 0o160000];

function scene(user: User) {
  const world = new World(user);
  const sh = (script: string) => runAs('/bin/sh', ['-c', script], { user, home: world.home, cwd: world.work });
  expect(sh(SET_UP)).toMatchObject({ code: 0 });
  const id = sh(`printf '#!/bin/sh\\ntouch ran\\n' | git hash-object -w --stdin`).stdout.trim();
  /** The command puts this index in place of git's, after a commit of its own. */
  const withIndex = (index: Buffer) => {
    world.put('code/app/forged', index);
    const script = 'echo b >>a; git commit -qam inside; cat forged >.git/index';
    expect(world.run(script, ['--workspace', 'aside'])).toMatchObject({ code: 0 });
  };
  const aside = (script: string) => expect(world.run(script, ['--workspace', 'aside'])).toMatchObject({ code: 0 });
  const runs = (path: string) => world.show().find((one) => one.path === join(world.work, path))?.runs;
  return { world, sh, id, withIndex, aside, runs };
}

const held = (path: string, why: string) => `${path} is not applied: it is ${why}; to take it over, name it\n`;
const ODD = 'a git index that cannot be understood, or names files outside of the tree';
const LEADS_ON = 'a git index with another repository in it, in which git would be started';
const NAMED = 'where git looks for programs or settings';

describe.each(USERS)("of git's own files, as %s,", (user) => {
  it.each([['.git/hooks/post-checkout'], ['../victim'], ['b/.GIT/config']])(
    'an index with %s is marked and stays out with the history it belongs to, unless it is named',
    (name) => {
      const { world, sh, id, withIndex, runs } = scene(user);
      withIndex(indexOf([{ name, mode: FILE, id }]));
      expect(runs('.git/index')).toBe(ODD);
      for (const flags of [[], ['--force']]) {
        const { code, stderr } = world.cordon(['changes', 'apply', ...flags]);
        expect(code).toBe(1);
        expect(stderr).toContain(held(join(world.work, '.git/index'), ODD));
        expect(stderr).toContain('the history is taken over together or not at all');
      }
      expect(sh('git log --format=%s; git ls-files').stdout).toBe('a\na\n');
      expect(world.text('code/app/a')).toBe('a\nb\n');
      sh('git checkout .; git checkout -q -b other');
      for (const made of ['code/victim', 'code/app/.git/hooks/post-checkout', 'code/app/b', 'code/app/ran'])
        expect(existsSync(join(world.home, made))).toBe(false);
      expect(world.cordon(['changes', 'apply', '--force', '.git/index']).code).toBe(0);
      expect(sh('git ls-files').stdout).toBe(`${name}\n`);
    },
  );

  it('an index that leads git into a repository of the folder is marked and stays out; one that is known comes in', () => {
    const { world, sh, id, withIndex, runs } = scene(user);
    expect(sh('git init -q sub; git -C sub config core.fsmonitor "touch ../ran; false"').code).toBe(0);
    const file = { name: 'a', mode: 0o100644, id };
    const index = indexOf([file, { name: 'sub', mode: REPOSITORY, id: '1'.repeat(40) }]);
    withIndex(index);
    expect(runs('.git/index')).toBe(LEADS_ON);
    expect(world.cordon(['changes', 'apply']).stderr).toContain(held(join(world.work, '.git/index'), LEADS_ON));
    sh('git status');
    expect(existsSync(join(world.work, 'ran'))).toBe(false);
    world.put('code/app/.git/index', index);
    withIndex(
      indexOf([
        { ...file, name: 'b' },
        { name: 'sub', mode: REPOSITORY, id: '1'.repeat(40) },
      ]),
    );
    expect(runs('.git/index')).toBeNull();
    expect(world.cordon(['changes', 'apply'])).toMatchObject({ code: 0 });
    expect(sh('git ls-files').stdout).toBe('b\nsub\n');
  });

  it('what would be put back in a real workspace has to be named, wherever the git directory is', () => {
    const { world, sh, aside } = scene(user);
    const script = `set -e; mv .git ../kept; rm -rf .git; git init -q --separate-git-dir=meta .
      git config core.hooksPath tools; git config include.path ../more; mkdir tools; touch tools/pre-commit more
      git init -q --bare bare; git -c user.name=a -c user.email=b commit -qm a --allow-empty`;
    expect(sh(script)).toMatchObject({ code: 0 });
    aside(`set -e; echo x >>meta/config; mkdir -p meta/hooks meta/sequencer meta/modules/x; echo x >meta/hooks/post-commit
      echo x >meta/MERGE_RR; echo x >meta/sequencer/opts; cp -r bare/. meta/modules/x; echo ../../bare/objects >meta/objects/info/alternates
      echo x >>tools/pre-commit; echo x >tools/new; echo x >>more; echo x >>bare/config; echo x >plain; rm tools/pre-commit`);
    const { code, stdout, stderr } = world.cordon(['changes', 'apply']);
    expect(code).toBe(1);
    const applied = stdout.split('\n').filter((line) => line !== '' && !line.includes('/meta/logs/'));
    expect(applied).toEqual([`applied ${join(world.work, 'plain')}`]);
    const expected = {
      'meta/config': "git's settings",
      'meta/hooks/post-commit': 'a git hook',
      'meta/MERGE_RR': "git's settings",
      'meta/sequencer/opts': "git's settings",
      'meta/modules/x/HEAD': "git's settings",
      'meta/modules/x/config': "git's settings",
      'meta/objects/info/alternates': "git's settings",
      'tools/pre-commit': NAMED,
      'tools/new': NAMED,
      more: NAMED,
      'bare/config': "git's settings",
    };
    for (const [path, why] of Object.entries(expected)) expect(stderr).toContain(held(join(world.work, path), why));
  });

  it('a linked worktree has the settings of its repository', () => {
    const { world, sh } = scene(user);
    expect(sh('git config core.hooksPath tools; git worktree add -q ../linked').code).toBe(0);
    const linked = join(world.home, 'code/linked');
    expect(world.run('mkdir tools; echo x >tools/pre-commit', ['--workspace', 'aside'], linked).code).toBe(0);
    const { stderr } = world.cordon(['changes', 'apply'], linked);
    expect(stderr).toBe(`cordon: ${held(join(linked, 'tools/pre-commit'), NAMED)}`);
  });

  it('a folder becomes a repository only by name', () => {
    const { world, aside } = scene(user);
    aside('git init -q sub; git init -q --bare other');
    const { stderr } = world.cordon(['changes', 'apply']);
    const why = 'what makes its folder a git repository';
    for (const path of ['sub/.git/HEAD', 'other/HEAD']) expect(stderr).toContain(held(join(world.work, path), why));
    expect(existsSync(join(world.work, 'sub/.git/HEAD'))).toBe(false);
  });
});
