import { existsSync, rmSync } from 'node:fs';
import { connectTo } from '../../prove/scripts.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

const SYSTEM_WIDE = '/run/docker.sock';

// No probe of `cordon prove`: what looks for the daemon in the meantime would find this one. Only root can make it.
if (process.getuid?.() === 0 && !existsSync(SYSTEM_WIDE))
  wayOut(
    {
      title: 'the socket of the Docker daemon at its usual place',
      plant: async (scene) => {
        scene.atEnd(() => rmSync(SYSTEM_WIDE, { force: true }));
        await scene.listen(SYSTEM_WIDE);
      },
      trial: () => ({ python: [SYSTEM_WIDE, '/var/run/docker.sock'].map(connectTo).join('') }),
    },
    { off: FS_ALL },
  );
