import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

// Namespaces stay usable inside, and give power over mounts: but not over those that came from outside.
wayOut('taking the masks away in a namespace of its own', {
  plant: (scene) => [scene.file('.ssh/id_rsa'), scene.file('.netrc')],
  probe: ({ home }) => ({
    sh: `
look() { cat ${home}/.ssh/id_rsa ${home}/.netrc "$1${home}/.ssh/id_rsa" "$1${home}/.netrc" 2>/dev/null; }
try() { unshare -Urm sh -c "$1; cat ${home}/.ssh/id_rsa ${home}/.netrc" 2>/dev/null; }
try 'umount ${home}/.ssh; umount ${home}/.netrc'
try 'umount -l ${home}/.ssh; umount -l ${home}/.netrc'
try 'umount -l ${home}; umount -l /tmp'
try 'mount --bind / /mnt; umount -l /mnt${home}/.ssh; cat /mnt${home}/.ssh/id_rsa /mnt${home}/.netrc'
try 'mount --rbind / /mnt; umount -l /mnt${home}/.ssh; umount /mnt${home}/.netrc; cat /mnt${home}/.ssh/id_rsa /mnt${home}/.netrc'
try 'mount -t overlay overlay -o lowerdir=/,upperdir=/dev/shm,workdir=/dev/shm /mnt; cat /mnt${home}/.ssh/id_rsa'
try 'mount --make-rprivate /; umount -R ${home}'
bwrap --bind / / cat ${home}/.ssh/id_rsa ${home}/.netrc 2>/dev/null
bwrap --ro-bind /tmp /tmp --bind / / cat ${home}/.ssh/id_rsa 2>/dev/null
look /proc/self/root
cat /proc/self/mountinfo > /dev/null`,
  }),
  off: FS_ALL,
});
