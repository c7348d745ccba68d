import { existsSync, readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { connectAbstract } from '../../scripts.ts';
import { attack } from '../attack.ts';
import { portOf, service, tell } from './service.ts';

const GIVES = 'databases, development servers and debuggers of the user that trust whoever comes from this machine';

export const LOOPBACK: Probe = {
  id: 'network/loopback',
  title: 'a service on the loopback of the host when the network is off',
  gives: GIVES,
  planted: 'a service on the IPv4 loopback',
  tried: 'connecting to it as 127.0.0.1 and as 0.0.0.0',
  reference: attack('T1046'),
  promise: 'network',
  plant: service('AF_INET', 'SOCK_STREAM', '127.0.0.1'),
  trial: (scene) => ({
    python: ['127.0.0.1', '0.0.0.0'].map((at) => tell(scene, 'AF_INET', 'SOCK_STREAM', at)).join(''),
  }),
};

const LOOPBACK_ADDRESS = '00000000000000000000000000000001';
const INTERFACES = '/proc/net/if_inet6';
const hasIpv6 = () => existsSync(INTERFACES) && readFileSync(INTERFACES, 'utf8').includes(LOOPBACK_ADDRESS);

export const LOOPBACK_6: Probe = {
  id: 'network/loopback-6',
  title: 'a service on the IPv6 loopback of the host when the network is off',
  gives: GIVES,
  planted: 'a service on ::1',
  tried: 'connecting to it',
  reference: attack('T1046'),
  promise: 'network',
  inapplicable: () => (hasIpv6() ? undefined : 'this machine has no IPv6 loopback'),
  plant: service('AF_INET6', 'SOCK_STREAM', '::1'),
  trial: (scene) => ({ python: tell(scene, 'AF_INET6', 'SOCK_STREAM', '::1') }),
};

const inHexadecimal = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');

export const LISTENERS: Probe = {
  id: 'network/listeners',
  title: 'seeing what listens on the host',
  gives: 'a map of the services on this machine',
  planted: 'a service on the loopback',
  tried: 'looking for its port in /proc/net/tcp',
  reference: attack('T1049'),
  promise: 'network',
  plant: service('AF_INET', 'SOCK_STREAM', '127.0.0.1'),
  trial: (scene) => ({ sh: `grep -q ':${inHexadecimal(portOf(scene))} ' /proc/net/tcp && echo LEAKED` }),
};

const nameOf = ({ canary }: Scene) => `cordon-${canary.slice(-12)}`;

export const ABSTRACT_WITHOUT_NETWORK: Probe = {
  id: 'network/abstract-sockets',
  title: 'an abstract socket of the host when the network is off',
  gives: 'X11, D-Bus and whatever else listens there, and through it the network',
  planted: 'a process of the user that listens on an abstract socket',
  tried: 'connecting to it',
  reference: 'https://man7.org/linux/man-pages/man7/unix.7.html',
  promise: 'network',
  plant: (scene) => scene.listenAbstract(nameOf(scene)),
  trial: (scene) => ({ python: connectAbstract(nameOf(scene)) }),
};
