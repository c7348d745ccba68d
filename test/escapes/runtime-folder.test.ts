import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut('files of the session in the runtime folder', {
  plant: (scene) => {
    scene.folder('runtime', 0o700);
    scene.file('runtime/containers/auth.json');
    scene.file('runtime/gvfs/token');
  },
  env: ({ home }) => ({ XDG_RUNTIME_DIR: `${home}/runtime` }),
  probe: ({ home }) => ({ sh: `find ${home}/runtime -type f -exec cat {} +; touch ${home}/runtime/own` }),
  off: FS_ALL,
});
