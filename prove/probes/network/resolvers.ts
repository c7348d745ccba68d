import type { Probe } from '../../probe.ts';
import { connectTo, mounting } from '../../scripts.ts';
import { attack } from '../attack.ts';
import { lacking } from '../installed.ts';

/** Where programs ask for names without any network: the folder below /run, and the socket in it. */
const RESOLVERS = [
  ['nscd', 'socket'],
  ['systemd/resolve', 'io.systemd.Resolve'],
  ['avahi-daemon', 'socket'],
] as const;

const kept = (folder: string) => `resolvers/${folder}`;

export const RESOLVER_SOCKETS: Probe = {
  id: 'network/resolver-sockets',
  title: 'resolvers of the host that answer on files, when the network is off',
  gives: 'a way out for whatever the command has got hold of: it is part of the name that is asked for',
  planted: 'sockets where nscd, systemd-resolved and Avahi listen',
  tried: 'connecting to each',
  reference: attack('T1048/003'),
  promise: 'network',
  inapplicable: () => lacking('unshare', 'setpriv', 'mount'),
  plant: async (scene) => {
    for (const [folder, name] of RESOLVERS) await scene.listen(`${kept(folder)}/${name}`);
  },
  starterIsOurs: true,
  starter: (scene) => {
    const bind = ([folder]: (typeof RESOLVERS)[number]) =>
      `mkdir -p /run/${folder} && mount --bind ${scene.path(kept(folder))} /run/${folder}`;
    return mounting(scene, ['mount -t tmpfs -o mode=755 tmpfs /run', ...RESOLVERS.map(bind)].join(' && '));
  },
  trial: () => ({ python: RESOLVERS.map(([folder, name]) => connectTo(`/run/${folder}/${name}`)).join('') }),
};
