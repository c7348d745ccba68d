import type { Probe } from '../../probe.ts';
import { EXIT_DNS, EXIT_TCP, PROXY_SOCKET, VSOCK } from './exits.ts';
import { ABSTRACT_WITHOUT_NETWORK, LISTENERS, LOOPBACK, LOOPBACK_6 } from './loopback.ts';
import { NAMED } from './named.ts';
import { RESOLVER_SOCKETS } from './resolvers.ts';

export const NETWORK: readonly Probe[] = [
  ...[EXIT_TCP, EXIT_DNS, LOOPBACK, LOOPBACK_6, LISTENERS],
  ...[ABSTRACT_WITHOUT_NETWORK, PROXY_SOCKET, RESOLVER_SOCKETS, VSOCK],
  ...NAMED,
];
