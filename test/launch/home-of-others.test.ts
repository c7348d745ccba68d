import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshHome, runCordon } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';

it.each(USERS)('a HOME that %s cannot enter stops no launch', (user) => {
  const folder = freshHome(user);
  const home = join(folder, 'closed');
  mkdirSync(home);
  chmodSync(home, 0o700);
  const { code, stdout } = runCordon(['run', '--', 'echo', 'launched'], { user, home, cwd: '/' });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'launched\n' });
});
