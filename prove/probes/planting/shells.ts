import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';
import { lacking } from '../installed.ts';
import { planting } from './planting.ts';

const GIVES = 'code that runs with everything the user has, as soon as they open the next shell';

const FILES = [
  '.bashrc',
  '.profile',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.inputrc',
];

const COMMON = { gives: GIVES, reference: attack('T1546/004'), promise: 'planting' } as const;

export const START_UP_FILES: Probe = {
  id: 'planting/start-up-files',
  title: 'planting code in start-up files of the shell that are there',
  planted: `~/${FILES.join(', ~/')}`,
  tried: 'appending to each',
  ...COMMON,
  ...planting({ existing: FILES, places: FILES }),
};

export const ABSENT_START_UP_FILES: Probe = {
  id: 'planting/absent-start-up-files',
  title: 'planting code in start-up files of the shell that are not there',
  planted: 'nothing',
  tried: `writing ~/${FILES.join(', ~/')}`,
  ...COMMON,
  ...planting({ places: FILES }),
};

const isReplaced = ({ home, canary }: Scene) => {
  const path = `${home}/.bashrc`;
  return existsSync(path) && readFileSync(path, 'utf8').includes(canary);
};

export const REPLACED_START_UP_FILE: Probe = {
  id: 'planting/replaced-start-up-file',
  title: 'putting another file in the place of a start-up file',
  planted: '~/.bashrc',
  tried: 'renaming, linking and copying over it, and moving the home away',
  ...COMMON,
  plant: (scene) => {
    scene.file('.bashrc', '# mine\n');
    scene.atEnd(() => rmSync(`${scene.home}.x`, { recursive: true, force: true }));
  },
  trial: ({ canary }) => ({
    sh: `cd ~; fresh() { echo ${canary} > "$1"; }
fresh a; mv -f a .bashrc
fresh b; rm -f .bashrc && ln -s b .bashrc
fresh c; ln -f c .bashrc; cp c .bashrc
fresh d; python3 -c 'import os; os.replace("d", ".bashrc")'
mv .bashrc old && fresh .bashrc
cd /; mv "$HOME" "$HOME.x" && mkdir "$HOME" && fresh "$HOME/.bashrc"`,
  }),
  worked: isReplaced,
};

export const LINKED_START_UP_FILE: Probe = {
  id: 'planting/linked-start-up-file',
  title: 'putting a file in the place of a start-up file that is a symbolic link',
  planted: '~/.bashrc as a link to ~/dotfiles/bashrc',
  tried: 'removing the link and writing a file there',
  ...COMMON,
  plant: (scene) => {
    scene.file('dotfiles/bashrc', '# mine\n');
    symlinkSync('dotfiles/bashrc', scene.path('.bashrc'));
  },
  trial: ({ canary }) => ({ sh: `cd ~; rm .bashrc; echo ${canary} > .bashrc` }),
  worked: isReplaced,
};

export const TAKEN_IN_FILES: Probe = {
  id: 'planting/files-taken-in',
  title: 'planting code in what start-up files take in',
  planted: '~/.bash_aliases, ~/.bashrc.d, ~/.nvm/nvm.sh, ~/.cargo/env, ~/.oh-my-zsh and ~/.fzf.bash',
  tried: 'appending to each, and adding a file to the folders',
  ...COMMON,
  ...planting({
    existing: ['.bash_aliases', '.bashrc.d/mine', '.nvm/nvm.sh', '.cargo/env', '.oh-my-zsh/oh-my-zsh.sh', '.fzf.bash'],
    places: ['.bash_aliases', '.bashrc.d/evil', '.nvm/nvm.sh', '.cargo/env', '.oh-my-zsh/oh-my-zsh.sh', '.fzf.bash'],
  }),
};

export const FISH_FILES: Probe = {
  id: 'planting/fish',
  title: 'planting code in the configuration of fish',
  planted: 'nothing',
  tried: 'writing config.fish, conf.d and functions in ~/.config/fish',
  ...COMMON,
  ...planting({
    places: ['.config/fish/config.fish', '.config/fish/conf.d/evil.fish', '.config/fish/functions/ls.fish'],
  }),
};

const NAMED_FILES = ['.config/sh/env', '.config/sh/interactive'];

export const NAMED_SHELL_FILES: Probe = {
  id: 'planting/named-shell-files',
  title: 'planting code in the files that ENV and BASH_ENV of the caller name',
  planted: `~/${NAMED_FILES.join(', ~/')}`,
  tried: 'appending to both',
  ...COMMON,
  env: (scene) => ({ BASH_ENV: scene.path('.config/sh/env'), ENV: scene.path('.config/sh/interactive') }),
  ...planting({ existing: NAMED_FILES, places: NAMED_FILES }),
};

const ZSH_FILES = ['zsh/.zshenv', 'zsh/.zshrc', 'zsh/.zprofile'];

export const ZSH_FOLDER: Probe = {
  id: 'planting/moved-zsh-files',
  title: 'planting code in start-up files of zsh that ZDOTDIR has moved',
  planted: 'a folder that ZDOTDIR names, with a .zshrc in it',
  tried: 'writing .zshenv, .zshrc and .zprofile there',
  ...COMMON,
  inapplicable: () => lacking('zsh'),
  env: (scene) => ({ ZDOTDIR: scene.path('zsh') }),
  ...planting({ existing: ['zsh/.zshrc'], places: ZSH_FILES }),
};
