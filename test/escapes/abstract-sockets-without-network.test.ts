import { wayOut } from '../support/escape.ts';
import { NO_LANDLOCK, noArgument, withPlan } from '../support/escape-off.ts';
import { connectAbstract } from '../support/escape-probes.ts';

const name = (canary: string) => `cordon-${canary.slice(-12)}`;

wayOut('an abstract socket of the host when the network is off', {
  plant: (scene) => scene.listenAbstract(name(scene.canary)),
  flags: ['--net', 'off'],
  probe: ({ canary }) => ({ python: connectAbstract(name(canary)) }),
  off: withPlan('the network namespace and landlock-scope', NO_LANDLOCK, noArgument('--unshare-net')),
});
