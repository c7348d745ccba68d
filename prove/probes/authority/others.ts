import { release } from 'node:os';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { connectAbstract } from '../../scripts.ts';
import { sockets, unique } from './sockets.ts';

const nameOf = (scene: Scene) => `cordon-${unique(scene)}`;

/** Landlock scopes came with Linux 6.12; nothing else cuts abstract sockets off while the network is on. */
function hasScopes(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 12);
}

export const ABSTRACT_SOCKETS: Probe = {
  id: 'authority/abstract-sockets',
  title: 'an abstract socket of the host, which no file hides',
  gives: 'X11, D-Bus, containerd shims and whatever else listens there',
  planted: 'a process of the user that listens on an abstract socket',
  tried: 'connecting to it',
  reference: 'https://man7.org/linux/man-pages/man7/unix.7.html',
  promise: hasScopes() ? 'credentials' : 'nothing',
  plant: (scene) => scene.listenAbstract(nameOf(scene)),
  trial: (scene) => ({ python: connectAbstract(nameOf(scene)) }),
};

export const UNLISTED_SOCKETS: Probe = {
  id: 'authority/unlisted-sockets',
  title: 'a socket nobody has put on a list: a database that trusts its local users',
  gives: 'the data of a service that asks for no password from this user',
  planted: 'a socket in a folder of the home that no list names',
  tried: 'connecting to it',
  reference: 'https://www.postgresql.org/docs/current/auth-peer.html',
  promise: 'credentials',
  ...sockets({ places: ['databases/run/.s.PGSQL.5432'] }),
};
