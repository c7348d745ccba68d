import type { Probe } from '../../probe.ts';
import { RUNTIME, runtimeFolder, sockets } from './sockets.ts';

const NAMED_BUS = 'bus/address';

export const SESSION_BUS: Probe = {
  id: 'authority/session-bus',
  title: 'the session bus, in the runtime folder and where its address says',
  gives: 'programs that systemd starts outside, passwords of the keyring, the portals of the desktop',
  planted: 'sockets at XDG_RUNTIME_DIR/bus, XDG_RUNTIME_DIR/at-spi/bus and where DBUS_SESSION_BUS_ADDRESS says',
  tried: 'connecting to each',
  reference: 'https://dbus.freedesktop.org/doc/dbus-specification.html#message-bus-types-login',
  promise: 'credentials',
  ...sockets({
    places: [`${RUNTIME}/bus`, `${RUNTIME}/at-spi/bus`, NAMED_BUS],
    env: (scene) => ({
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${scene.path(NAMED_BUS)},guid=0123`,
      ...runtimeFolder(scene),
    }),
  }),
};

export const USER_MANAGER: Probe = {
  id: 'authority/user-manager',
  title: "the private socket of the user's systemd",
  gives: 'systemd-run: any command, started outside',
  planted: 'sockets at XDG_RUNTIME_DIR/systemd/private and /notify',
  tried: 'connecting to both',
  reference: 'https://www.freedesktop.org/software/systemd/man/latest/systemd-run.html',
  promise: 'credentials',
  ...sockets({ places: [`${RUNTIME}/systemd/private`, `${RUNTIME}/systemd/notify`], env: runtimeFolder }),
};

export const WAYLAND: Probe = {
  id: 'authority/wayland',
  title: 'the screen, through Wayland',
  gives: 'what is on the clipboard, screenshots, and where the compositor allows it, typing',
  planted: 'sockets in the runtime folder and where WAYLAND_DISPLAY and SWAYSOCK say',
  tried: 'connecting to each',
  reference: 'https://wayland.freedesktop.org/docs/html/ch04.html',
  promise: 'credentials',
  ...sockets({
    places: [`${RUNTIME}/wayland-0`, `${RUNTIME}/sway-ipc.sock`, 'named/wayland-9', 'named/sway'],
    env: (scene) => ({
      WAYLAND_DISPLAY: scene.path('named/wayland-9'),
      SWAYSOCK: scene.path('named/sway'),
      ...runtimeFolder(scene),
    }),
  }),
};

export const SOUND: Probe = {
  id: 'authority/sound',
  title: 'the microphone, through PipeWire or PulseAudio',
  gives: 'what is said in the room',
  planted: 'sockets in the runtime folder and where PULSE_SERVER says',
  tried: 'connecting to each',
  reference: 'https://docs.pipewire.org/page_native_protocol.html',
  promise: 'credentials',
  ...sockets({
    places: [`${RUNTIME}/pipewire-0`, `${RUNTIME}/pulse/native`, 'named/pulse'],
    env: (scene) => ({ PULSE_SERVER: `unix:${scene.path('named/pulse')}`, ...runtimeFolder(scene) }),
  }),
};
