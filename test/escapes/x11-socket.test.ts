import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { connectTo } from '../support/escape-probes.ts';
import type { Scene } from '../support/escape-scene.ts';

const socketOf = ({ user }: Scene) => `/tmp/.X11-unix/X${user === 'root' ? 7101 : 7102}`;

/** The folder belongs to all users and stays. */
async function plant(scene: Scene): Promise<void> {
  if (!existsSync('/tmp/.X11-unix')) {
    mkdirSync('/tmp/.X11-unix');
    chmodSync('/tmp/.X11-unix', 0o1777);
  }
  rmSync(socketOf(scene), { force: true });
  await scene.listen(socketOf(scene));
  onTestFinished(() => rmSync(socketOf(scene), { force: true }));
  scene.file('.Xauthority');
}

wayOut('the screen and the keyboard, through X11', {
  plant,
  probe: (scene) => ({
    python: `import subprocess\nsubprocess.run(['cat', '${scene.home}/.Xauthority'])${connectTo(socketOf(scene))}`,
  }),
  off: FS_ALL,
});
