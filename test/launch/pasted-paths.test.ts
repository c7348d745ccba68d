import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, runAs, runCordon } from '../support/cordon.ts';
import { identityOf, USERS } from '../support/users.ts';

describe.each(USERS)('paths in the lines of the launcher, as %s', (user) => {
  const setUp = (name: string) => {
    const home = freshHome(user);
    const [work, file] = [join(home, 'wörk'), join(home, name)];
    mkdirSync(work);
    writeFileSync(file, 'text\n');
    const { uid, gid } = identityOf(user);
    for (const path of [work, file]) chownSync(path, uid, gid);
    return { home, file, work, told: runCordon(['run', '--', 'cat', file], { user, home, cwd: work }).stderr };
  };

  it('are as people write them, and can be pasted into a shell', () => {
    const { home, file, work, told } = setUp("Ünï cödé, it's 日本.txt");
    const [, flag = ''] = /to show it: (--read .*)$/m.exec(told) ?? [];
    expect(flag).toBe(`--read '${file.replace("'", "'\\''")}'`);
    const words = runAs('/bin/sh', ['-c', `printf '%s\\n' ${flag}`], { user, home }).stdout.split('\n');
    expect(words).toEqual(['--read', file, '']);
    expect(runCordon(['run', ...words.slice(0, 2), '--', 'cat', file], { user, home, cwd: work }).stdout).toBe(
      'text\n',
    );
    expect(readFileSync(join(home, '.local/state/cordon/audit.jsonl'), 'utf8')).toContain(`${home}/wörk`);
  });

  it.each([
    ['a change of direction', 'a\u202eb', 'a\\xe2\\x80\\xaeb'],
    ['what has no width', 'a\u200bb', 'a\\xe2\\x80\\x8bb'],
    ['a control character', 'a\u009bb', 'a\\xc2\\x9bb'],
    ['what is nobody’s', 'a\u{e0041}b', 'a\\xf3\\xa0\\x81\\x81b'],
  ])('%s is an escape', (_, name, shown) => {
    const { told } = setUp(name);
    expect(told).toContain(`/${shown} is not shown inside`);
    expect(told).not.toContain(name);
  });
});
