import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Scene } from '../../prove/scene.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

/** A history of a name of its own, so that nothing of the user's is touched. */
function placeOf({ uid, canary }: Scene): string {
  const entry = process.getuid?.() === 0 ? execFileSync('getent', ['passwd', String(uid)], { encoding: 'utf8' }) : '';
  return join(entry.split(':')[5] ?? userInfo().homedir, `.cordon-${canary.slice(-12)}_history`);
}

// No probe of `cordon prove`: that home is the user's own.
wayOut(
  {
    title: 'credentials in the home of the password file while $HOME says another one',
    plant: (scene) => {
      scene.atEnd(() => rmSync(placeOf(scene), { force: true }));
      scene.file(placeOf(scene));
    },
    trial: (scene) => ({ sh: `cat ${placeOf(scene)}` }),
  },
  { off: FS_ALL },
);
