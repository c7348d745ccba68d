import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { lacking } from '../installed.ts';
import { planting } from './planting.ts';

const COMMON = {
  gives: 'code that runs with everything the user has, from the next log-in on',
  promise: 'planting',
} as const;

export const USER_UNITS: Probe = {
  id: 'planting/user-units',
  title: 'planting a unit for the systemd of the user',
  planted: '~/.config/systemd/user/mine.service',
  tried: 'appending to it, adding units and wants, and writing to ~/.local/share/systemd',
  reference: attack('T1543/002'),
  ...COMMON,
  ...planting({
    existing: ['.config/systemd/user/mine.service'],
    places: [
      '.config/systemd/user/evil.service',
      '.config/systemd/user/mine.service',
      '.config/systemd/user/default.target.wants/x',
      '.local/share/systemd/user/evil.service',
    ],
  }),
};

export const AUTOSTART: Probe = {
  id: 'planting/autostart',
  title: 'planting something that starts with the desktop',
  planted: 'nothing',
  tried: 'writing to ~/.config/autostart and ~/.local/share/dbus-1/services',
  reference: attack('T1547/013'),
  ...COMMON,
  ...planting({ places: ['.config/autostart/evil.desktop', '.local/share/dbus-1/services/evil.service'] }),
};

export const SESSION_VARIABLES: Probe = {
  id: 'planting/session-variables',
  title: 'planting variables for the whole session',
  planted: 'nothing',
  tried: 'writing to ~/.config/environment.d',
  reference: 'https://www.freedesktop.org/software/systemd/man/latest/environment.d.html',
  ...COMMON,
  ...planting({ places: ['.config/environment.d/evil.conf'] }),
};

export const DESKTOP_ENTRIES: Probe = {
  id: 'planting/desktop-entries',
  title: 'planting a program under the icon of another',
  planted: 'nothing',
  tried: 'writing ~/.local/share/applications/firefox.desktop and ~/.config/mimeapps.list',
  reference: 'https://specifications.freedesktop.org/desktop-entry-spec/latest/',
  ...COMMON,
  ...planting({ places: ['.local/share/applications/firefox.desktop', '.config/mimeapps.list'] }),
};

export const SSH_FILES: Probe = {
  id: 'planting/ssh',
  title: 'letting someone in, or running code at the next ssh',
  planted: '~/.ssh/config and ~/.ssh/authorized_keys',
  tried: 'appending to both, and writing ~/.ssh/rc',
  reference: attack('T1098/004'),
  ...COMMON,
  ...planting({
    existing: ['.ssh/config', '.ssh/authorized_keys'],
    places: ['.ssh/config', '.ssh/authorized_keys', '.ssh/rc'],
  }),
};

export const ABSENT_SSH_FILES: Probe = {
  id: 'planting/absent-ssh',
  title: 'letting someone in, or running code at the next ssh, where there was no ~/.ssh',
  planted: 'nothing',
  tried: 'writing ~/.ssh/authorized_keys and ~/.ssh/config',
  reference: attack('T1098/004'),
  ...COMMON,
  inapplicable: () => lacking('ssh'),
  ...planting({ places: ['.ssh/authorized_keys', '.ssh/config'] }),
};
