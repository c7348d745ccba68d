import { existsSync, readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import { mounting } from '../../scripts.ts';
import { lacking } from '../installed.ts';

const PROFILE = '/etc/profile';
const FOLDER = '/etc/profile.d';
const KEPT = 'of-the-system';

function inapplicable(): string | undefined {
  const takesIn = existsSync(FOLDER) && existsSync(PROFILE) && readFileSync(PROFILE, 'utf8').includes(FOLDER);
  return takesIn ? lacking('unshare', 'setpriv', 'mount', 'bash') : `${PROFILE} takes nothing in here`;
}

export const SYSTEM_PROFILE: Probe = {
  id: 'refill/system-profile',
  title: 'a login shell that fills the environment again from the files of the system',
  gives: 'the keys that an administrator gives to all who log in, although the command was started without them',
  planted: `a variable exported in a file of ${FOLDER}, which the caller has too`,
  tried: 'bash -l and sh -l',
  reference: 'https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html',
  promise: 'credentials',
  inapplicable,
  plant: (scene) => scene.file(`${KEPT}/keys.sh`, `export API_TOKEN=${scene.canary}\n`, 0o644),
  env: ({ canary }) => ({ API_TOKEN: canary }),
  starterIsOurs: true,
  starter: (scene) => mounting(scene, `mount --bind ${scene.path(KEPT)} ${FOLDER}`),
  trial: () => ({ sh: 'bash -lc env; sh -lc env </dev/null' }),
};
