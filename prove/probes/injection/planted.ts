import { existsSync, readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';

/** What a launcher might start by its name on the way to the command. */
const PROGRAMS = [
  ...['node', 'nodejs', 'bwrap', 'git', 'getent', 'id', 'uname', 'unshare', 'setpriv', 'newuidmap', 'newgidmap'],
  ...['python3', 'mount', 'op', 'pass', 'secret-tool', 'age', 'systemd-run', 'readlink', 'env', 'ssh'],
];

const FOLDERS = ['work/.venv/bin', 'work/node_modules/.bin'];

/** Outside it or its parent still has the secret; inside the launcher has taken it away. */
const tellsAll = (note: string) => `#!/bin/sh\n/bin/cat /proc/self/environ /proc/$PPID/environ >> ${note}\n`;
const noteOf = (scene: Scene) => scene.path('work/told');

export const PLANTED_PROGRAMS: Probe = {
  id: 'injection/planted-programs',
  title: 'programs that an earlier command left in folders of PATH, under names that the launcher itself needs',
  gives: "the whole environment of the caller, and code in the launcher's own process before anything is held back",
  planted: `${PROGRAMS.join(', ')} in folders of the workspace that stand first on PATH: of a virtual environment and of npm`,
  tried: 'starting the command, which starts each of them once more',
  reference: attack('T1574/007'),
  promise: 'environment',
  plant: (scene) => {
    for (const folder of FOLDERS)
      for (const program of PROGRAMS) scene.file(`${folder}/${program}`, tellsAll(noteOf(scene)), 0o755);
  },
  env: (scene) => ({
    PATH: [...FOLDERS.map((folder) => scene.path(folder)), '/usr/local/bin:/usr/bin:/bin'].join(':'),
    SESSION_OF_MINE: scene.canary,
  }),
  trial: (scene) => ({
    sh: FOLDERS.flatMap((folder) => PROGRAMS.map((program) => scene.path(`${folder}/${program}`))).join('\n'),
  }),
  worked: (scene) => existsSync(noteOf(scene)) && readFileSync(noteOf(scene), 'utf8').includes(scene.canary),
};
