import { readFileSync } from 'node:fs';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut('making read-only places writable again in a namespace of its own', {
  plant: (scene) => scene.file('.bashrc', '# mine\n'),
  probe: ({ home, canary }) => ({
    sh: `
unshare -Urm sh -c 'mount -o remount,bind,rw ${home}/.bashrc; echo ${canary} >> ${home}/.bashrc'
unshare -Urm sh -c 'umount ${home}/.bashrc; echo ${canary} >> ${home}/.bashrc'
unshare -Urm sh -c 'mount --bind ${home} /mnt && echo ${canary} >> /mnt/.bashrc'
bwrap --bind / / sh -c 'echo ${canary} >> ${home}/.bashrc'
echo ${canary} >> ${home}/.bashrc`,
  }),
  worked: ({ home, canary }) => readFileSync(`${home}/.bashrc`, 'utf8').includes(canary),
  off: FS_ALL,
});
