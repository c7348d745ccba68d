import type { Probe } from '../../probe.ts';
import { RUNTIME, runtimeFolder, sockets } from './sockets.ts';

export const GPG_AGENT: Probe = {
  id: 'authority/gpg-agent',
  title: 'the sockets of the GPG agent, in ~/.gnupg, in the runtime folder and where GNUPGHOME says',
  gives: "the use of the user's GPG keys: signing releases, opening the password store",
  planted: 'sockets S.gpg-agent and S.gpg-agent.ssh at these places',
  tried: 'connecting to each',
  reference: 'https://www.gnupg.org/documentation/manuals/gnupg/Agent-Options.html',
  promise: 'credentials',
  ...sockets({
    places: [
      '.gnupg/S.gpg-agent',
      '.gnupg/S.gpg-agent.ssh',
      'elsewhere/S.gpg-agent',
      `${RUNTIME}/gnupg/S.gpg-agent`,
      `${RUNTIME}/gnupg/d.x/S.gpg-agent`,
    ],
    env: (scene) => ({ GNUPGHOME: scene.path('elsewhere'), ...runtimeFolder(scene) }),
  }),
};

export const SECRET_SERVICE: Probe = {
  id: 'authority/secret-service',
  title: 'the keyring of the desktop',
  gives: 'every password the desktop keeps, once the user has logged in',
  planted: 'control sockets in the runtime folder, in ~/.cache/keyring-* and where GNOME_KEYRING_CONTROL says',
  tried: 'connecting to each',
  reference: 'https://specifications.freedesktop.org/secret-service-spec/latest/',
  promise: 'credentials',
  ...sockets({
    places: [`${RUNTIME}/keyring/control`, `${RUNTIME}/keyring/ssh`, '.cache/keyring-abc/control', 'ring/control'],
    env: (scene) => ({ GNOME_KEYRING_CONTROL: scene.path('ring'), ...runtimeFolder(scene) }),
  }),
};

export const PASSWORD_MANAGERS: Probe = {
  id: 'authority/password-managers',
  title: 'the agents of password managers: 1Password, rbw, KeePassXC',
  gives: 'SSH keys and passwords of an unlocked vault',
  planted: 'their sockets in the home and the runtime folder',
  tried: 'connecting to each',
  reference: 'https://developer.1password.com/docs/ssh/agent/',
  promise: 'credentials',
  ...sockets({
    places: [
      '.1password/agent.sock',
      '.config/op/op-daemon.sock',
      `${RUNTIME}/rbw/socket`,
      `${RUNTIME}/org.keepassxc.KeePassXC.BrowserServer`,
      '.local/share/rbw/socket',
    ],
    env: runtimeFolder,
  }),
};
