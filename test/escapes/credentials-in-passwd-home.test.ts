import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

/** A history of a name of its own, so that nothing of the user's is touched. */
function placeOf({ user, canary }: Scene): string {
  const entry = process.getuid?.() === 0 ? execFileSync('getent', ['passwd', user], { encoding: 'utf8' }) : '';
  return join(entry.split(':')[5] ?? userInfo().homedir, `.cordon-${canary.slice(-12)}_history`);
}

wayOut('credentials in the home of the password file while $HOME says another one', {
  plant: (scene) => {
    onTestFinished(() => rmSync(placeOf(scene), { force: true }));
    scene.file(placeOf(scene));
  },
  probe: (scene) => ({ sh: `cat ${placeOf(scene)}` }),
  off: FS_ALL,
});
