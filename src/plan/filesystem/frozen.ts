/** A place in a home folder that programs outside take code or commands from. */
export interface FrozenPlace {
  readonly path: string;
  /** What an absent one is made as for the time of the run, so that the command can't; left out: an absent one is left alone. */
  readonly absent?: 'file' | 'dir';
  /** Programs inside would miss it, should someone fill it outside while an older plan is in use. */
  readonly readInside?: boolean;
  /** Keeps what the file's mere existence would change. */
  readonly text?: string;
  /** An absent one matters only while this one is absent too, or while one of these programs is installed. */
  readonly unless?: string;
  readonly readers?: readonly string[];
}

export interface FrozenGroup {
  readonly why: string;
  readonly places: readonly FrozenPlace[];
}

const present = (...paths: string[]): FrozenPlace[] => paths.map((path) => ({ path }));
const files = (...paths: string[]): FrozenPlace[] => paths.map((path) => ({ path, absent: 'file' }));
const folders = (...paths: string[]): FrozenPlace[] => paths.map((path) => ({ path, absent: 'dir' }));

// Bash reads the first it finds of these three as a login shell.
const AS_IF_NO_BASH_LOGIN = 'if [ -r ~/.profile ]; then . ~/.profile; fi\n';
const AS_IF_NO_BASH_PROFILE =
  'if [ -r ~/.bash_login ]; then . ~/.bash_login; elif [ -r ~/.profile ]; then . ~/.profile; fi\n';
const AS_IF_NO_INPUTRC = '$include /etc/inputrc\n';
const AS_IF_NO_TCSHRC = 'if ( -r ~/.cshrc ) source ~/.cshrc\n';
const AS_IF_NO_VIMRC =
  'if filereadable(expand("~/.vim/vimrc")) | source ~/.vim/vimrc | elseif filereadable(expand("$VIMRUNTIME/defaults.vim")) | source $VIMRUNTIME/defaults.vim | endif\n';

export const FROZEN_IN_HOME: readonly FrozenGroup[] = [
  {
    why: 'shell start-up files',
    places: [
      ...files('.bashrc', '.profile', '.bash_logout', '.bash_aliases', '.zshenv', '.zprofile', '.zshrc'),
      { path: '.bash_profile', absent: 'file', text: AS_IF_NO_BASH_PROFILE },
      { path: '.bash_login', absent: 'file', text: AS_IF_NO_BASH_LOGIN, unless: '.bash_profile' },
      { path: '.inputrc', absent: 'file', text: AS_IF_NO_INPUTRC },
      { path: '.zlogin', absent: 'file', readers: ['zsh'] },
      { path: '.zlogout', absent: 'file', readers: ['zsh'] },
      { path: '.kshrc', absent: 'file', readers: ['ksh', 'ksh93', 'mksh', 'oksh'] },
      { path: '.mkshrc', absent: 'file', readers: ['mksh'] },
      { path: '.cshrc', absent: 'file', readers: ['csh', 'tcsh'] },
      { path: '.login', absent: 'file', readers: ['csh', 'tcsh'] },
      { path: '.tcshrc', absent: 'file', text: AS_IF_NO_TCSHRC, readers: ['tcsh'] },
      ...folders('.config/fish'),
      { path: '.config/nushell', absent: 'dir', readers: ['nu'] },
      { path: '.config/powershell', absent: 'dir', readers: ['pwsh'] },
      ...present(
        '.logout',
        '.shrc',
        '.bashrc.d',
        '.profile.d',
        '.config/bash',
        '.config/zsh',
        '.zsh',
        '.oh-my-zsh',
        '.oh-my-bash',
        '.bash_it',
        '.antigen',
        '.zplug',
        '.zinit',
      ),
      ...present(
        '.bash_completion',
        '.config/starship.toml',
        '.fzf',
        '.fzf.bash',
        '.fzf.zsh',
        '.asdf/asdf.sh',
        '.local/share/zinit',
        '.local/share/bash-completion',
        '.p10k.zsh',
      ),
    ],
  },
  {
    why: 'scripts that shell start-up files take in',
    places: present(
      '.cargo/env',
      '.nvm/nvm.sh',
      '.nvm/bash_completion',
      '.sdkman/bin',
      '.ghcup/env',
      '.deno/env',
      '.opam/opam-init',
    ),
  },
  {
    why: 'files with commands that programs outside would run',
    places: [
      { path: '.tmux.conf', absent: 'file', readers: ['tmux'] },
      { path: '.config/tmux', absent: 'dir', readers: ['tmux'] },
      { path: '.gdbinit', absent: 'file', readers: ['gdb'] },
      { path: '.config/gdb', absent: 'dir', readers: ['gdb'] },
    ],
  },
  {
    why: 'programs found through PATH',
    places: folders('.local/bin', 'bin').map((place) => ({ ...place, readInside: true })),
  },
  {
    why: 'started with the session',
    places: [
      ...folders(
        '.config/systemd',
        '.config/autostart',
        '.config/environment.d',
        '.local/share/systemd',
        '.local/share/dbus-1',
      ),
      { path: '.xprofile', absent: 'file', readers: ['Xorg', 'startx', 'Xwayland'] },
      { path: '.xsessionrc', absent: 'file', readers: ['Xorg', 'startx', 'Xwayland'] },
      ...present(
        '.xinitrc',
        '.xsession',
        '.xserverrc',
        '.Xmodmap',
        '.Xresources',
        '.Xdefaults',
        '.dmrc',
        '.config/autostart-scripts',
        '.config/plasma-workspace',
      ),
      ...present(
        '.config/upstart',
        '.config/user-tmpfiles.d',
        '.local/share/user-tmpfiles.d',
        '.config/containers/systemd',
        '.config/labwc',
        '.config/sway',
        '.config/i3',
        '.i3',
        '.config/hypr',
      ),
      ...present(
        '.config/niri',
        '.config/river',
        '.config/awesome',
        '.config/bspwm',
        '.config/sxhkd',
        '.config/openbox',
        '.config/qtile',
        '.config/lxsession',
        '.fluxbox',
        '.xmonad',
        '.config/xmonad',
      ),
      ...present(
        '.local/share/applications',
        '.config/mimeapps.list',
        '.local/share/kservices5',
        '.config/kwinrc',
        '.local/share/gnome-shell/extensions',
        '.mailcap',
        '.forward',
        '.procmailrc',
      ),
    ],
  },
  {
    why: 'Git reads commands from it',
    places: [
      ...files('.gitconfig'),
      { path: '.config/git', absent: 'dir', readInside: true },
      ...present(
        '.githooks',
        '.git-hooks',
        '.git-templates',
        '.git-template',
        '.hgrc',
        '.config/hg',
        '.config/jj',
        '.jjconfig.toml',
      ),
    ],
  },
  {
    why: 'trusts folders to run code',
    places: [
      { path: '.config/direnv', absent: 'dir', readers: ['direnv'] },
      { path: '.local/share/direnv', absent: 'dir', readers: ['direnv'] },
      ...present(
        '.direnvrc',
        '.config/mise',
        '.local/state/mise',
        '.local/share/mise/shims',
        '.local/share/mise/installs',
        '.asdf/shims',
        '.tool-versions',
      ),
    ],
  },
  {
    why: 'editors and tools run code from it',
    places: [
      {
        path: '.vimrc',
        absent: 'file',
        text: AS_IF_NO_VIMRC,
        readers: ['vim', 'vim.basic', 'vim.tiny', 'vim.nox', 'vim.gtk3'],
      },
      { path: '.vim', absent: 'dir', readers: ['vim', 'vim.basic', 'vim.nox', 'vim.gtk3'] },
      { path: '.config/nvim', absent: 'dir', readers: ['nvim'] },
      ...present(
        '.gvimrc',
        '.exrc',
        '.ideavimrc',
        '.local/share/nvim/site',
        '.local/share/nvim/lazy',
        '.emacs',
        '.emacs.el',
        '.emacs.d',
        '.config/emacs',
        '.doom.d',
        '.config/doom',
        '.config/helix',
        '.config/kak',
      ),
      ...present(
        '.nanorc',
        '.config/micro',
        '.config/Code/User',
        '.vscode/extensions',
        '.vscode-server/extensions',
        '.config/Cursor/User',
        '.cursor/extensions',
        '.config/VSCodium/User',
        '.vscode-oss/extensions',
        '.config/zed',
        '.config/JetBrains',
      ),
      ...present(
        '.tmux',
        '.screenrc',
        '.byobu',
        '.config/zellij',
        '.wezterm.lua',
        '.config/wezterm',
        '.config/kitty',
        '.config/alacritty',
        '.alacritty.toml',
        '.config/ghostty',
      ),
      ...present(
        '.lldbinit',
        '.psqlrc',
        '.sqliterc',
        '.irbrc',
        '.pryrc',
        '.rdbgrc',
        '.Rprofile',
        '.pdbrc',
        '.pythonrc',
        '.pythonstartup',
        '.ipython/profile_default',
        '.julia/config',
        '.ghci',
      ),
      ...present(
        '.gradle/init.d',
        '.gradle/init.gradle',
        '.cargo/config',
        '.cargo/config.toml',
        '.m2/extensions.xml',
        '.mavenrc',
        '.ackrc',
        '.config/ranger',
        '.config/lf',
        '.lessfilter',
        '.lesskey',
        '.tigrc',
      ),
      ...present(
        '.claude/settings.json',
        '.claude/hooks',
        '.claude/plugins',
        '.codex/config.toml',
        '.gemini/settings.json',
        '.config/goose/config.yaml',
      ),
    ],
  },
];

/** Absolute places, frozen for those who could write there: root, who without capabilities is to be no more than any user. */
export const FROZEN_IN_SYSTEM: readonly FrozenGroup[] = [
  { why: 'runs for everyone on this machine', places: present('/etc', '/var/spool/cron', '/var/spool/at') },
];

/** Hidden as credentials when they are there; when they are not, what is planted there would run or let someone in. */
export const HELD_BACK: readonly FrozenPlace[] = [
  { path: '.ssh', absent: 'dir', readers: ['ssh', 'sshd'] },
  { path: '.gnupg', absent: 'dir', readers: ['gpg'] },
  { path: '.docker', absent: 'dir', readers: ['docker'] },
  { path: '.npmrc', absent: 'file', readers: ['npm'] },
  { path: '.aws', absent: 'dir', readers: ['aws'] },
  { path: '.kube', absent: 'dir', readers: ['kubectl'] },
];
