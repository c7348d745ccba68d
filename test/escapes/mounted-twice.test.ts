import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { mounting } from '../support/escape-probes.ts';

wayOut('a credential whose folder is mounted in a second place', {
  plant: (scene) => {
    scene.file('.ssh/id_rsa');
    scene.file('.netrc');
    scene.folder('again');
    scene.folder('all-again');
  },
  starterIsOurs: true,
  starter: (scene) =>
    mounting(
      scene,
      `mount --bind ${scene.home}/.ssh ${scene.home}/again && mount --bind ${scene.home} ${scene.home}/all-again`,
    ),
  probe: ({ home }) => ({ sh: `cat ${home}/again/id_rsa ${home}/all-again/.ssh/id_rsa ${home}/all-again/.netrc` }),
  off: FS_ALL,
});
