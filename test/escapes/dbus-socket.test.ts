import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { connectTo } from '../support/escape-probes.ts';

// Over D-Bus systemd starts programs outside, and the keyring hands out passwords.
wayOut('the session bus, in the runtime folder and where its address says', {
  plant: async (scene) => {
    scene.folder('runtime', 0o700);
    await scene.listen('runtime/bus');
    await scene.listen('runtime/systemd/private');
    await scene.listen('bus/address');
  },
  env: ({ home }) => ({
    XDG_RUNTIME_DIR: `${home}/runtime`,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/bus/address,guid=0123`,
  }),
  flags: ['--allow', 'DBUS_SESSION_BUS_ADDRESS'],
  probe: ({ home }) => ({
    python: ['runtime/bus', 'runtime/systemd/private', 'bus/address'].map((at) => connectTo(`${home}/${at}`)).join(''),
  }),
  off: FS_ALL,
});
