import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { RUNTIME, runtimeFolder, sockets } from './sockets.ts';

const GIVES = 'a container that mounts the whole disk, and with it root on the host';
const REFERENCE = 'https://docs.docker.com/engine/security/#docker-daemon-attack-surface';

export const DOCKER: Probe = {
  id: 'authority/docker',
  title: 'the socket of a Docker daemon: Desktop, rootless, and where DOCKER_HOST says',
  gives: GIVES,
  planted: 'sockets in ~/.docker, in the runtime folder and at a place that DOCKER_HOST names',
  tried: 'connecting to each',
  reference: REFERENCE,
  promise: 'credentials',
  ...sockets({
    places: [
      '.docker/run/docker.sock',
      '.docker/desktop/docker.sock',
      'daemon/docker.sock',
      `${RUNTIME}/docker.sock`,
      `${RUNTIME}/docker/docker.sock`,
    ],
    env: (scene) => ({ DOCKER_HOST: `unix://${scene.path('daemon/docker.sock')}`, ...runtimeFolder(scene) }),
  }),
};

export const DOCKER_IN_A_MACHINE: Probe = {
  id: 'authority/docker-in-a-machine',
  title: 'the socket of a Docker daemon in a virtual machine: Rancher Desktop, Colima, Lima',
  gives: 'a container with everything the machine shares with the host, which is the home',
  planted: 'sockets in ~/.rd, ~/.colima, ~/.config/colima and ~/.lima',
  tried: 'connecting to each',
  reference: 'https://github.com/abiosoft/colima/blob/main/docs/FAQ.md',
  promise: 'credentials',
  ...sockets({
    places: [
      '.rd/docker.sock',
      '.colima/default/docker.sock',
      '.config/colima/default/docker.sock',
      '.lima/default/sock/docker.sock',
    ],
  }),
};

export const PODMAN: Probe = {
  id: 'authority/podman',
  title: 'the socket of Podman',
  gives: 'containers that mount whatever the user may read and write',
  planted: 'sockets in the runtime folder and at a place that CONTAINER_HOST names',
  tried: 'connecting to both',
  reference: 'https://docs.podman.io/en/latest/markdown/podman-system-service.1.html',
  promise: 'credentials',
  ...sockets({
    places: [`${RUNTIME}/podman/podman.sock`, 'pods/podman.sock'],
    env: (scene) => ({ CONTAINER_HOST: `unix://${scene.path('pods/podman.sock')}`, ...runtimeFolder(scene) }),
  }),
};

export const BUILDERS: Probe = {
  id: 'authority/container-builders',
  title: 'the sockets of containerd, BuildKit and libvirt',
  gives: 'containers and machines that mount what the user may read',
  planted: 'sockets in the runtime folder and where CONTAINERD_ADDRESS, BUILDKIT_HOST and LIBVIRT_DEFAULT_URI say',
  tried: 'connecting to each',
  reference: attack('T1610'),
  promise: 'credentials',
  ...sockets({
    places: [`${RUNTIME}/containerd-rootless/api.sock`, `${RUNTIME}/libvirt/libvirt-sock`, 'cd.sock', 'bk.sock'],
    env: (scene) => ({
      CONTAINERD_ADDRESS: `unix://${scene.path('cd.sock')}`,
      BUILDKIT_HOST: `unix://${scene.path('bk.sock')}`,
      ...runtimeFolder(scene),
    }),
  }),
};
