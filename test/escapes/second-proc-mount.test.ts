import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';
import { mounting } from '../support/escape-probes.ts';

wayOut('another view of all processes, mounted elsewhere', {
  plant: async (scene) => {
    scene.folder('more');
    await scene.process(undefined, { API_TOKEN: scene.canary });
  },
  starterIsOurs: true,
  starter: (scene) => mounting(scene, `mount -t proc proc ${scene.home}/more`),
  probe: ({ home }) => ({ sh: `cat ${home}/more/[0-9]*/environ 2>/dev/null; ls ${home}/more | wc -l` }),
  off: FILTER,
});
