import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { environment } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

// ICU reads these in every Node, and some values end it before any code of ours runs.
const HOSTILE = { LC_ALL: '() { :; }; echo', LANG: '() { :; }; echo', TZ: '/'.repeat(5000) };

describe.each(USERS)('locale variables that crash Node, for %s', (user) => {
  it.each(Object.entries(HOSTILE))('%s does not reach the planner, and is dropped', (name, value) => {
    const { code, stdout, stderr } = runCordon(['run', '--', 'env'], { user, env: { [name]: value } });
    expect(code, stderr).toBe(0);
    expect(stdout).not.toContain(`${name}=`);
  });
});

it('one of them does end a Node that gets it', () => {
  const { signal, status } = spawnSync(process.execPath, ['-e', '0'], {
    env: environment({ LC_ALL: HOSTILE.LC_ALL }),
  });
  expect([signal, status]).not.toEqual([null, 0]);
});
