import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { connectTo, mounting } from '../../scripts.ts';
import { lacking } from '../installed.ts';
import { pipes } from './pipes.ts';
import { sockets, unique } from './sockets.ts';

const PATHS = 'https://man7.org/linux/man-pages/man7/unix.7.html';
const GIVES = 'whatever the program behind it does for the user, whichever that is';

export const BUILD_SERVERS: Probe = {
  id: 'authority/build-servers',
  title: 'servers of build tools: Watchman, sbt, Bloop, Mill, Nx, Turborepo, Buck',
  gives: 'any command, run by the server outside: a build file is a program',
  planted: 'sockets where they listen in the home and in /tmp',
  tried: 'connecting to each',
  reference: 'https://facebook.github.io/watchman/docs/socket-interface',
  promise: 'credentials',
  ...sockets({
    places: [
      ...['.local/state/watchman/me-state/sock', '.watchman/sock', '.sbt/1.0/server/0123/sock', '.bsp/sock'],
      ...['.local/share/scalacli/bloop/daemon/socket', '.cache/bloop/daemon/socket', '.bloop/socket', '.mill/socket'],
      ...['.buck/buckd/0123/socket', '.cache/nx/d.sock', '.cache/pants/pantsd.sock', '.cache/sccache/sock'],
    ],
    shared: (scene) => [
      `/tmp/watchman-${unique(scene)}/sock`,
      `/tmp/turbod-${unique(scene)}/turbod.sock`,
      `/tmp/${unique(scene)}/d.sock`,
    ],
  }),
};

export const SOCKETS_ANYWHERE: Probe = {
  id: 'authority/sockets-anywhere',
  title: 'sockets with names that say nothing, in the home and in the folders for temporary files',
  gives: GIVES,
  planted: 'sockets in the home, in /tmp, /var/tmp and /dev/shm',
  tried: 'connecting to each',
  reference: PATHS,
  promise: 'credentials',
  ...sockets({
    places: ['.q/w', '.config/q/w', '.local/share/q/w', '.cache/q/w', 'q/w', 'w'],
    shared: (scene) =>
      ['/tmp', '/var/tmp', '/dev/shm'].flatMap((in_) => [`${in_}/q${unique(scene)}/w`, `${in_}/w${unique(scene)}`]),
  }),
};

export const PIPES_ANYWHERE: Probe = {
  id: 'authority/pipes-anywhere',
  title: 'named pipes in the home and in the folders for temporary files',
  gives: GIVES,
  planted: 'pipes that a program has open in the home, in /tmp, /var/tmp and /dev/shm',
  tried: 'reading and writing each',
  reference: 'https://man7.org/linux/man-pages/man7/fifo.7.html',
  promise: 'credentials',
  ...pipes({
    places: ['.q/w', '.config/q/w', '.cache/q/w', 'q/w'],
    shared: (scene) => ['/tmp', '/var/tmp', '/dev/shm'].map((folder) => `${folder}/w${unique(scene)}`),
  }),
};

export const SYSTEM_SOCKETS: Probe = {
  id: 'authority/system-sockets',
  title: 'sockets of services in the folders of the system',
  gives: 'databases that trust local users, containers and machines, and with some of them root',
  planted: 'sockets in /var/lib, /opt and /srv that the user may connect to',
  tried: 'connecting to each',
  reference: 'https://documentation.ubuntu.com/lxd/latest/explanation/security/',
  promise: 'credentials',
  inapplicable: () => (process.getuid?.() === 0 ? undefined : 'only root can listen there'),
  ...sockets({
    shared: (scene) => ['/var/lib', '/opt', '/srv'].map((folder) => `${folder}/cordon-${unique(scene)}/w`),
  }),
};

const RUNTIME = 'session';
const inRuntime = ({ uid }: Scene) => `/run/user/${uid}`;

export const UNNAMED_RUNTIME_FOLDER: Probe = {
  id: 'authority/unnamed-runtime-folder',
  title: 'sockets in the runtime folder at its usual place, which no variable names',
  gives: GIVES,
  planted: 'sockets in /run/user/UID',
  tried: 'connecting to each',
  reference: 'https://www.freedesktop.org/software/systemd/man/latest/pam_systemd.html',
  promise: 'credentials',
  inapplicable: () => lacking('unshare', 'setpriv', 'mount'),
  plant: async (scene) => {
    scene.folder(RUNTIME, 0o700);
    for (const name of ['bus', 'q/w', 'w']) await scene.listen(`${RUNTIME}/${name}`);
  },
  starterIsOurs: true,
  starter: (scene) => {
    const folder = inRuntime(scene);
    const bind = `mount --bind ${scene.path(RUNTIME)} ${folder}`;
    return mounting(scene, `mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p ${folder} && ${bind}`);
  },
  trial: (scene) => ({ python: ['bus', 'q/w', 'w'].map((name) => connectTo(`${inRuntime(scene)}/${name}`)).join('') }),
};
