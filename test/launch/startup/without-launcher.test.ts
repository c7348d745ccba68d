import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installedPackage, runInOwnAccountHome } from '../../support/cordon.ts';
import { openFolder } from '../../support/project.ts';
import { USERS } from '../../support/users.ts';
import { homeWith } from './support.ts';

it.each(USERS)('where the launcher could not be built, the copies are there too, for %s', (user) => {
  const folder = openFolder('without-launcher');
  cpSync(installedPackage(), folder, { recursive: true });
  rmSync(join(folder, 'dist/native'), { recursive: true });
  const home = homeWith(user, {
    '.bashrc': 'export THING=canary\nalias ll=x\n',
    '.profile': '. ~/.bashrc\nexport LC_KEPT=1\n',
    '.zshrc': 'export A="canary\n',
  });
  const run = (...flags: readonly string[]) =>
    // Node can't hold the lock of the native launcher.
    runInOwnAccountHome(
      process.execPath,
      [join(folder, 'dist/cli.js'), 'run', ...flags, '--', 'bash', '-lc', 'env; cat ~/.bashrc ~/.zshrc'],
      {
        user,
        home,
        cwd: join(home, 'work'),
      },
    ).stdout;
  expect(run()).toContain('LC_KEPT=1');
  expect(run()).toContain('alias ll=x');
  expect(run()).not.toContain('canary');
  expect(run('--fs', 'all')).toContain('THING=canary');
});
