import { rmSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';
import { lacking } from '../installed.ts';
import { sockets, unique } from './sockets.ts';

const GIVES = "the use of the user's SSH keys: every server and every repository they open";
const NAMED = 'agents/elsewhere.sock';

export const SSH_AGENT: Probe = {
  id: 'authority/ssh-agent',
  title: 'the socket of the SSH agent, at its usual place and where SSH_AUTH_SOCK says',
  gives: GIVES,
  planted: 'sockets at /tmp/ssh-*/agent.* and at a place that SSH_AUTH_SOCK names',
  tried: 'connecting to both',
  reference: attack('T1563/001'),
  promise: 'credentials',
  ...sockets({
    places: [NAMED],
    shared: (scene) => [`/tmp/ssh-${unique(scene)}/agent.1`],
    env: (scene) => ({ SSH_AUTH_SOCK: scene.path(NAMED) }),
  }),
};

const realSocket = (scene: Scene) => scene.path('.cache/agent');

async function plantRealAgent(scene: Scene): Promise<void> {
  scene.folder('.cache');
  const key = scene.path('key');
  await scene.command(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', scene.canary, '-f', key]);
  await scene.process(['ssh-agent', '-D', '-a', realSocket(scene)]);
  await scene.command(['ssh-add', '-q', key], { SSH_AUTH_SOCK: realSocket(scene) });
  for (const file of [key, `${key}.pub`]) rmSync(file);
}

export const SSH_AGENT_KEYS: Probe = {
  id: 'authority/ssh-agent-keys',
  title: 'asking a real SSH agent for its keys',
  gives: GIVES,
  planted: 'a running ssh-agent that holds a key, named by SSH_AUTH_SOCK',
  tried: 'ssh-add -l at that socket',
  reference: 'https://man.openbsd.org/ssh-agent.1',
  promise: 'credentials',
  inapplicable: () => lacking('ssh-agent', 'ssh-add', 'ssh-keygen'),
  plant: plantRealAgent,
  env: (scene) => ({ SSH_AUTH_SOCK: realSocket(scene) }),
  trial: (scene) => ({ sh: `SSH_AUTH_SOCK=${realSocket(scene)} ssh-add -l` }),
};

export const SSH_CONNECTIONS: Probe = {
  id: 'authority/ssh-connections',
  title: 'SSH connections that are open already (ControlMaster)',
  gives: 'a shell on every server the user is connected to, without any key',
  planted: 'control sockets at /tmp/ssh_mux_*, in ~/.ssh, in ~/.ansible/cp and where ~/.ssh/config says',
  tried: 'connecting to each',
  reference: 'https://man.openbsd.org/ssh_config.5#ControlPath',
  promise: 'credentials',
  ...sockets({
    places: ['.ssh/master-me@server:22', '.ansible/cp/0123456789'],
    shared: (scene) => [`/tmp/ssh_mux_${unique(scene)}_22_me`],
  }),
};

export const SSH_CONNECTIONS_ELSEWHERE: Probe = {
  id: 'authority/ssh-connections-elsewhere',
  title: 'SSH connections that are open already, where ~/.ssh/config says',
  gives: SSH_CONNECTIONS.gives,
  planted: 'a control socket in a folder that only ControlPath in ~/.ssh/config names',
  tried: 'connecting to it',
  reference: SSH_CONNECTIONS.reference,
  promise: 'credentials',
  ...configured('ControlMaster auto\n  ControlPath ~/.cache/mux/%r@%h', '.cache/mux/me@server'),
};

export const SSH_AGENT_CONFIGURED: Probe = {
  id: 'authority/ssh-agent-configured',
  title: 'the SSH agent that ~/.ssh/config names',
  gives: GIVES,
  planted: 'a socket in a folder that only IdentityAgent in ~/.ssh/config names',
  tried: 'connecting to it',
  reference: 'https://man.openbsd.org/ssh_config.5#IdentityAgent',
  promise: 'credentials',
  ...configured('IdentityAgent "~/.agents/mine.sock"', '.agents/mine.sock'),
};

export const SSH_AGENTS_OF_PROGRAMS: Probe = {
  id: 'authority/ssh-agents-of-programs',
  title: 'the SSH agents of password managers and key programs',
  gives: GIVES,
  planted: 'sockets where Bitwarden, 1Password, Secretive, yubikey-agent and their Flatpaks listen',
  tried: 'connecting to each',
  reference: 'https://bitwarden.com/help/ssh-agent/',
  promise: 'credentials',
  ...sockets({
    places: [
      ...['.bitwarden-ssh-agent.sock', '.1password/agent.sock', '.ssh-agent.sock', '.cache/yubikey-agent/agent.sock'],
      ...['.var/app/com.bitwarden.desktop/data/.bitwarden-ssh-agent.sock', 'snap/bitwarden/current/agent.sock'],
      ...['.local/share/secretive/socket.ssh', '.akeyless/agent.sock', '.step/ssh/agent.sock', '.strongdm/agent.sock'],
    ],
  }),
};

/** A socket, and the line of ~/.ssh/config that leads to it. */
function configured(line: string, place: string): Pick<Probe, 'plant' | 'trial'> {
  const { plant, trial } = sockets({ places: [place] });
  return {
    plant: async (scene) => {
      scene.file('.ssh/config', `Host *\n  ${line}\n`);
      await plant?.(scene);
    },
    trial,
  };
}
