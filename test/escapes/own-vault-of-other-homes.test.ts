import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { Scene } from '../../prove/scene.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

const FOLDERS = ['.config/cordon', '.local/state/cordon'];

function passwdHome({ uid }: Scene): string {
  if (process.getuid?.() !== 0) return userInfo().homedir;
  return execFileSync('getent', ['passwd', String(uid)], { encoding: 'utf8' }).split(':')[5] as string;
}

/** Names of their own, so that nothing of the user's is touched. */
const placesOf = (scene: Scene) =>
  FOLDERS.map((folder) => join(passwdHome(scene), folder, `vault-${scene.canary.slice(-12)}`));

function plant(scene: Scene): void {
  for (const place of placesOf(scene)) {
    scene.atEnd(() => removeWithFolders(place, passwdHome(scene)));
    scene.file(place);
  }
}

/** And the folders above it that are empty then: some of them were made for it. */
function removeWithFolders(place: string, home: string): void {
  rmSync(place, { force: true });
  for (let folder = dirname(place); folder !== home && existsSync(folder); folder = dirname(folder)) {
    if (readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}

// No probe of `cordon prove`: that home is the user's own.
for (const preset of ['all', 'guarded', 'workspace'])
  wayOut(
    {
      title: `Cordon's own vault and records in the home of the password file while HOME says another one, with ${preset}`,
      plant,
      trial: (scene) => ({ sh: `cat ${placesOf(scene).join(' ')}` }),
    },
    { flags: ['--fs', preset], off: FILTER },
  );
