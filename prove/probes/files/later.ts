import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';

/** Waits for the word of the trial, then does it as any program of the user's would, and says so. */
const MEANWHILE = `
import os, sys, time
started, done, place, text = sys.argv[1:]
print('ready', flush=True)
while not os.path.exists(started): time.sleep(0.01)
with open(place + '.new', 'w') as file: file.write(text)
os.replace(place + '.new', place)
open(done, 'w').close()
time.sleep(600)
`;

const meanwhile = (scene: Scene, place: string) =>
  scene.process([
    ...['python3', '-c', MEANWHILE, `${scene.work}/started`, `${scene.work}/done`],
    ...[scene.path(place), `${scene.canary}\n`],
  ]);

/** Not in the first moments, in which names that are absent are still being covered. Half a minute at most, should nothing happen. */
const lookLater = (place: string) =>
  `sleep 0.5; touch started; i=0; while [ ! -e done ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i+1)); done; cat ~/${place}`;

export const REPLACED_MEANWHILE: Probe = {
  id: 'files/replaced-meanwhile',
  title: 'a credential file that a program outside replaces while the command runs',
  gives: 'the new content: the mask stays on the old file',
  planted: 'a ~/.netrc, and a program that renames a new one over it once the command has started',
  tried: 'reading it afterwards',
  reference: 'https://man7.org/linux/man-pages/man2/rename.2.html',
  promise: 'home',
  plant: (scene) => {
    scene.file('.netrc', 'machine example\n');
    return meanwhile(scene, '.netrc');
  },
  trial: () => ({ sh: lookLater('.netrc') }),
};

export const MADE_MEANWHILE: Probe = {
  id: 'files/made-meanwhile',
  title: 'a credential file that appears while the command runs',
  gives: 'the credential: nothing was there to be hidden at the start',
  planted: 'a program that writes ~/.vault-token once the command has started',
  tried: 'reading it afterwards',
  reference: 'https://developer.hashicorp.com/vault/docs/commands/login',
  promise: 'home',
  plant: (scene) => meanwhile(scene, '.vault-token'),
  trial: () => ({ sh: lookLater('.vault-token') }),
};
