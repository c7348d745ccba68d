import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { connectTo } from '../support/escape-probes.ts';

const PLACES = ['runtime/wayland-0', 'runtime/pipewire-0', 'runtime/sway-ipc.sock', 'named/wayland-9'];

wayOut('the screen, through Wayland', {
  plant: async (scene) => {
    scene.folder('runtime', 0o700);
    for (const place of PLACES) await scene.listen(place);
  },
  env: ({ home }) => ({ XDG_RUNTIME_DIR: `${home}/runtime`, WAYLAND_DISPLAY: `${home}/named/wayland-9` }),
  probe: ({ home }) => ({ python: PLACES.map((place) => connectTo(`${home}/${place}`)).join('') }),
  off: FS_ALL,
});
