import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { lacking } from '../installed.ts';
import { RUNTIME, runtimeFolder, sockets, unique } from './sockets.ts';

const GIVES = 'typing into a shell of the user outside, and reading what stands there';
const nameOf = (scene: Scene) => `cordon-${unique(scene)}`;

/** A real server of the user's, at its usual place. */
async function plantTmux(scene: Scene): Promise<void> {
  const tmux = (...args: string[]) =>
    scene.command(['tmux', '-L', nameOf(scene), '-f', '/dev/null', ...args], { SECRET: scene.canary, TERM: 'xterm' });
  await tmux('new-session', '-d', 'cat');
  scene.atEnd(() => tmux('kill-server').catch(() => undefined));
}

export const TMUX: Probe = {
  id: 'authority/tmux',
  title: 'typing into the terminal next door, through tmux',
  gives: GIVES,
  planted: 'a tmux server with a secret in its environment',
  tried: 'tmux show-environment at its socket in /tmp/tmux-UID',
  reference: 'https://man.openbsd.org/tmux.1',
  promise: 'credentials',
  inapplicable: () => lacking('tmux'),
  plant: plantTmux,
  trial: (scene) => ({ sh: `tmux -L ${nameOf(scene)} show-environment -g SECRET 2>&1` }),
};

export const TMUX_NAMED: Probe = {
  id: 'authority/tmux-named',
  title: 'the tmux server the command was started from, where TMUX says',
  gives: GIVES,
  planted: 'a socket that TMUX names',
  tried: 'connecting to it',
  reference: TMUX.reference,
  promise: 'credentials',
  ...sockets({ places: ['t/default'], env: (scene) => ({ TMUX: `${scene.path('t/default')},4711,0` }) }),
};

export const TMUX_MOVED: Probe = {
  id: 'authority/tmux-moved',
  title: 'the tmux servers of the user where TMUX_TMPDIR says',
  gives: GIVES,
  planted: 'a socket tmux-UID/default in the folder that TMUX_TMPDIR names',
  tried: 'connecting to it',
  reference: TMUX.reference,
  promise: 'credentials',
  ...sockets({
    places: ({ uid }) => [`.cache/t/tmux-${uid}/default`],
    env: (scene) => ({ TMUX_TMPDIR: scene.path('.cache/t') }),
  }),
};

export const SCREEN: Probe = {
  id: 'authority/screen',
  title: 'typing into the terminal next door, through GNU Screen',
  gives: GIVES,
  planted: 'sockets in ~/.screen and in the folder that SCREENDIR names',
  tried: 'connecting to both',
  reference: 'https://www.gnu.org/software/screen/manual/screen.html#Invoking-Screen',
  promise: 'credentials',
  ...sockets({
    places: ['.screen/4711.pts-0.host', 'screens/4712.pts-0.host'],
    env: (scene) => ({ SCREENDIR: scene.path('screens') }),
  }),
};

export const TERMINAL_EMULATORS: Probe = {
  id: 'authority/terminal-emulators',
  title: 'terminals that take commands: kitty, WezTerm, Alacritty, Zellij',
  gives: GIVES,
  planted: 'their sockets in /tmp, the runtime folder and where KITTY_LISTEN_ON and WEZTERM_UNIX_SOCKET say',
  tried: 'connecting to each',
  reference: 'https://sw.kovidgoyal.net/kitty/remote-control/',
  promise: 'credentials',
  ...sockets({
    places: ['kitty', 'wez', `${RUNTIME}/wezterm/gui-sock-1`, `${RUNTIME}/zellij/0.40/session`],
    shared: (scene) => [`/tmp/kitty-${unique(scene)}`, `/tmp/Alacritty-${unique(scene)}.sock`],
    env: (scene) => ({
      KITTY_LISTEN_ON: `unix:${scene.path('kitty')}`,
      WEZTERM_UNIX_SOCKET: scene.path('wez'),
      ...runtimeFolder(scene),
    }),
  }),
};
