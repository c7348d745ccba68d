import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { wayOut } from '../support/escape.ts';
import { instead, withPlan } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

const placeOf = ({ canary }: Scene) => `/dev/shm/cordon-${canary.slice(-12)}`;

wayOut('POSIX shared memory of the host', {
  plant: (scene) => {
    onTestFinished(() => rmSync(placeOf(scene), { force: true }));
    scene.file(placeOf(scene));
  },
  probe: (scene) => ({ sh: `cat ${placeOf(scene)}; ls /dev/shm` }),
  off: withPlan('the private /dev', instead('sandbox --dev /dev', 'sandbox --dev-bind /dev /dev')),
});
