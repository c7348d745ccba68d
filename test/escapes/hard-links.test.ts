import { linkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

// A second name of a hidden file is not looked for: that would be a search of the whole disk. What can be known is said.
it.each(USERS)('a hidden file with a second name is reported to %s', (user) => {
  const scene = new Scene(user);
  linkSync(scene.file('.netrc'), join(scene.work, 'second-name'));
  const { stdout, stderr } = runCordon(['run', '--', 'cat', 'second-name'], {
    user,
    home: scene.home,
    cwd: scene.work,
  });
  expect(stdout).toContain(scene.canary);
  expect(stderr).toMatch(/\.netrc has other names \(hard links\)/);
});

it.each(USERS)('nor can %s make one from inside', (user) => {
  const scene = new Scene(user);
  scene.file('.netrc');
  scene.file('.ssh/id_rsa');
  const script = 'ln ~/.netrc a; ln ~/.ssh/id_rsa b; cat a b; echo tried';
  const { stdout } = runCordon(['run', '--', '/bin/sh', '-c', script], { user, home: scene.home, cwd: scene.work });
  expect(stdout).toBe('tried\n');
});
