import { wayOut } from '../support/escape.ts';
import { NO_LANDLOCK, withPlan } from '../support/escape-off.ts';
import { connectAbstract } from '../support/escape-probes.ts';

const name = (canary: string) => `cordon-${canary.slice(-12)}`;

wayOut('an abstract socket of the host, which no file hides', {
  plant: (scene) => scene.listenAbstract(name(scene.canary)),
  probe: ({ canary }) => ({ python: connectAbstract(name(canary)) }),
  off: withPlan('landlock-scope', NO_LANDLOCK),
});
