import { readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import { mounting } from '../../scripts.ts';
import { lacking } from '../installed.ts';

const MOUNTS = 'https://man7.org/linux/man-pages/man7/mount_namespaces.7.html';
const lackingUnshare = () => lacking('unshare', 'setpriv', 'mount');

export const SECOND_PROC: Probe = {
  id: 'kernel/second-proc',
  title: 'another view of all processes, mounted elsewhere',
  gives: 'the environments of all processes of the user, although /proc itself shows none of them',
  planted: 'a second /proc in the home, as build tools and old chroots leave them, and a process with a secret',
  tried: 'reading environ in the second /proc',
  reference: 'https://man7.org/linux/man-pages/man5/proc.5.html',
  promise: 'processes',
  inapplicable: () => (process.getuid?.() === 0 ? lackingUnshare() : 'only root can mount one'),
  plant: async (scene) => {
    scene.folder('more');
    const { pid } = await scene.process(undefined, { API_TOKEN: scene.canary });
    scene.file('work/pid', String(pid), 0o644);
  },
  starterIsOurs: true,
  starter: (scene) => mounting(scene, `mount -t proc proc ${scene.home}/more`),
  trial: ({ home }) => ({ sh: `cat ${home}/more/$(cat ${home}/work/pid)/environ` }),
};

export const MOUNTED_TWICE: Probe = {
  id: 'kernel/mounted-twice',
  title: 'a credential whose folder is mounted in a second place',
  gives: 'the credential, where only its first name is hidden',
  planted: '~/.ssh bound to ~/again and the home to ~/all-again',
  tried: 'reading the key in both',
  reference: MOUNTS,
  promise: 'credentials',
  inapplicable: lackingUnshare,
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
  trial: ({ home }) => ({ sh: `cat ${home}/again/id_rsa ${home}/all-again/.ssh/id_rsa ${home}/all-again/.netrc` }),
};

// Namespaces stay usable inside, and give power over mounts: but not over those that came from outside.
const UNMOUNT = (home: string) => `
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
`;

export const UNMOUNTING: Probe = {
  id: 'kernel/unmounting',
  title: 'taking away what hides the credentials, in a namespace of its own',
  gives: 'every credential that is hidden by something mounted over it',
  planted: '~/.ssh/id_rsa and ~/.netrc',
  tried: 'unmounting, binding and overlaying in new namespaces, and bubblewrap inside',
  reference: MOUNTS,
  promise: 'credentials',
  plant: (scene) => [scene.file('.ssh/id_rsa'), scene.file('.netrc')],
  trial: ({ home }) => ({ sh: UNMOUNT(home) }),
};

const REMOUNT = (home: string, canary: string) => `
unshare -Urm sh -c 'mount -o remount,bind,rw ${home}/.bashrc; echo ${canary} >> ${home}/.bashrc'
unshare -Urm sh -c 'umount ${home}/.bashrc; echo ${canary} >> ${home}/.bashrc'
unshare -Urm sh -c 'mount --bind ${home} /mnt && echo ${canary} >> /mnt/.bashrc'
bwrap --bind / / sh -c 'echo ${canary} >> ${home}/.bashrc'
echo ${canary} >> ${home}/.bashrc
`;

export const REMOUNTING: Probe = {
  id: 'kernel/remounting',
  title: 'making read-only places writable again in a namespace of its own',
  gives: 'code that the next shell of the user runs, outside',
  planted: '~/.bashrc',
  tried: 'remounting, unmounting and binding it in new namespaces, then writing',
  reference: MOUNTS,
  promise: 'planting',
  plant: (scene) => scene.file('.bashrc', '# mine\n'),
  trial: ({ home, canary }) => ({ sh: REMOUNT(home, canary) }),
  worked: (scene) => readFileSync(scene.path('.bashrc'), 'utf8').includes(scene.canary),
};
