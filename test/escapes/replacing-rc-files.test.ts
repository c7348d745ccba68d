import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut('putting another file in the place of a start-up file', {
  plant: (scene) => scene.file('.bashrc', '# mine\n'),
  probe: ({ canary }) => ({
    sh: `cd ~; fresh() { echo ${canary} > "$1"; }
fresh a; mv -f a .bashrc
fresh b; rm -f .bashrc && ln -s b .bashrc
fresh c; ln -f c .bashrc; cp c .bashrc
fresh d; python3 -c 'import os; os.replace("d", ".bashrc")'
mv .bashrc old && fresh .bashrc
cd /; mv "$HOME" "$HOME.x" && mkdir "$HOME" && fresh "$HOME/.bashrc"`,
  }),
  worked: ({ home, canary }) =>
    existsSync(join(home, '.bashrc')) && readFileSync(join(home, '.bashrc'), 'utf8').includes(canary),
  off: FS_ALL,
});
