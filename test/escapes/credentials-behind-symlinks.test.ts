import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

function plant(scene: Scene): void {
  const link = (to: string, at: string) => symlinkSync(to, join(scene.home, at));
  scene.file('dotfiles/aws/credentials');
  link('dotfiles/aws', '.aws');
  scene.file('dotfiles/netrc');
  link('dotfiles/second', '.netrc');
  link('netrc', 'dotfiles/second');
  scene.folder('dotfiles/config/gh');
  scene.file('dotfiles/config/gh/hosts.yml');
  link('dotfiles/config', '.config');
}

wayOut('credentials that lie elsewhere, with a link in the home', {
  plant,
  probe: () => ({
    sh: 'cd ~; cat .aws/credentials .netrc .config/gh/hosts.yml; find dotfiles -type f -exec cat {} +',
  }),
  off: FS_ALL,
});
