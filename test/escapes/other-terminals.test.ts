import { wayOut } from '../support/escape.ts';
import { instead, withPlan } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

const names = new WeakMap<Scene, string>();

/** A terminal of the user's, as another window would have it. */
const WINDOW = `
import os, sys
master, slave = os.openpty()
print(os.ttyname(slave), flush=True)
sys.stdin.read()
`;

wayOut("opening the user's other terminals, to read what is typed there", {
  plant: async (scene) => {
    names.set(scene, (await scene.process(['python3', '-c', WINDOW], { PATH: '/usr/bin:/bin' })).ready);
  },
  probe: (scene) => ({ sh: `test -w ${names.get(scene)} && echo LEAKED; ls -l /dev/pts` }),
  off: withPlan('the private /dev', instead('sandbox --dev /dev', 'sandbox --dev-bind /dev /dev')),
});
