import { wayOut } from '../support/escape.ts';
import { noArgument, withPlan } from '../support/escape-off.ts';
import { connectPort } from '../support/escape-probes.ts';
import type { Scene } from '../support/escape-scene.ts';

const ports = new WeakMap<Scene, number>();

wayOut('a service on the loopback of the host when the network is off', {
  plant: async (scene) => void ports.set(scene, await scene.listen(0)),
  flags: ['--net', 'off'],
  probe: (scene) => ({ python: connectPort(ports.get(scene) ?? 0) }),
  off: withPlan('the network namespace', noArgument('--unshare-net')),
});
