import { chmodSync, mkdirSync, rmdirSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { connectTo } from '../../scripts.ts';
import { attack } from '../attack.ts';
import { removeAfterwards } from './shared-places.ts';

const FOLDER = '/tmp/.X11-unix';

/** A display nobody has. */
const socketOf = ({ canary }: Scene) => `${FOLDER}/X${100_000 + (Number.parseInt(canary.slice(-6), 16) % 900_000)}`;

/** An X server insists on a folder that root has made, so ours must not stay. */
async function plant(scene: Scene): Promise<void> {
  scene.file('.Xauthority');
  if (madeFolder()) removeAfterwards(scene, FOLDER, removeFolder);
  await scene.listen(socketOf(scene));
}

function madeFolder(): boolean {
  try {
    mkdirSync(FOLDER);
    chmodSync(FOLDER, 0o1777);
    return true;
  } catch {
    return false;
  }
}

function removeFolder(): void {
  try {
    rmdirSync(FOLDER);
  } catch {
    // It is gone already, or someone has put a display there by now.
  }
}

export const X11: Probe = {
  id: 'authority/x11',
  title: 'the screen and the keyboard, through X11',
  gives: 'every key that is pressed, every window, and typing into any of them',
  planted: 'a display in /tmp/.X11-unix and a cookie in ~/.Xauthority',
  tried: 'connecting to the display, reading the cookie',
  reference: attack('T1056/001'),
  promise: 'credentials',
  plant,
  trial: (scene) => ({
    python: `import subprocess\nsubprocess.run(['cat', '${scene.path('.Xauthority')}'])${connectTo(socketOf(scene))}`,
  }),
};

export const X11_COOKIE: Probe = {
  id: 'authority/x11-cookie',
  title: 'the cookie that opens the X11 display, where XAUTHORITY says',
  gives: 'the display, over any way to it that is left, the network among them',
  planted: 'a cookie at a place that XAUTHORITY names, and one in the runtime folder',
  tried: 'reading both',
  reference: 'https://www.x.org/releases/current/doc/man/man1/xauth.1.xhtml',
  promise: 'credentials',
  plant: (scene) => [scene.file('cookies/mine'), scene.file('runtime/gdm/Xauthority')],
  env: (scene) => ({ XAUTHORITY: scene.path('cookies/mine'), XDG_RUNTIME_DIR: scene.path('runtime') }),
  trial: ({ home }) => ({ sh: `cat ${home}/cookies/mine ${home}/runtime/gdm/Xauthority` }),
};
