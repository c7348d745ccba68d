import { SETTINGS_IN_HOME } from '../places/shown.ts';

/*
 * Which files of a home are looked through for log-ins (any.ts): settings, wherever they are shown. Of a folder in `.config` that is every
 * file, three folders deep; of a toolchain, whose folders hold programs, what is called as settings are, in it and in folders that are.
 */

/** Places that are shown: each a file, or a folder with settings in it. */
export const LOOKED_THROUGH: readonly string[] = SETTINGS_IN_HOME.filter((place) => !place.includes('*'));

/** Where programs keep settings beside what they installed or fetched: npm's own of each version, the addresses of clones. */
export const AMONG_INSTALLED: readonly string[] = [
  ...['.nvm/versions/node/*', '.n/n/versions/node/*', '.nodenv/versions/*', '.asdf/installs/nodejs/*'].map(withNpm),
  ...['.local/share/mise/installs/node/*', '.volta/tools/image/node/*'].map(withNpm),
  ...['.fnm/node-versions/*', '.local/share/fnm/node-versions/*'].map((place) => withNpm(`${place}/installation`)),
  ...['.virtualenvs/*/pip.conf', '.pyenv/versions/*/pip.conf', '.local/share/pipx/venvs/*/pip.conf'],
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', '.conda'].map((place) => `${place}/envs/*/.condarc`),
  ...['.cargo/git/db/*/config', 'go/pkg/mod/cache/vcs/*/config', '.go/pkg/mod/cache/vcs/*/config'],
  ...['.cache/pre-commit', '.vim/plugged', '.vim/bundle', '.tmux/plugins', '.config/tmux/plugins'].map(withGit),
  ...['.local/share/nvim/lazy', '.asdf/plugins', '.local/share/mise/plugins', '.zsh/plugins'].map(withGit),
  ...['.oh-my-zsh/custom/plugins', '.oh-my-zsh/custom/themes', '.emacs.d/straight/repos'].map(withGit),
];

function withNpm(place: string): string {
  return `${place}/etc/npmrc`;
}

function withGit(place: string): string {
  return `${place}/*/.git/config`;
}

const SETTINGS = new RegExp(
  String.raw`^(?:\.?[\w-]*rc|\.?env|config|configuration|repositories|profiles?|default|\.?(?:auth|credentials?|secrets?|tokens?)(?:\..*)?` +
    String.raw`|.*\.(?:toml|ya?ml|json|xml|properties|conf|cfg|ini|config|edn|clj|sbt|gradle|kts|exs|jl|nu|env|npmrc|el|vim|lua|kdl|sh|bash|zsh|fish))$`,
  'i',
);
const BACKUP =
  /^(.+?)(?:~|\.(?:bak|backup|old|orig|save|saved|dist-old|dpkg-old|dpkg-dist|rpmsave|rpmnew|swp|tmp)\d*|\.bak[\w.-]*)$/i;
const OF_NO_TEXT =
  /\.(?:png|jpe?g|gif|svg|ico|ttf|otf|so|db|sqlite3?(?:-\w+)?|wasm|zip|gz|zst|xz|zwc|spl|pyc|elc|vsix|node|md)$/i;
/** In a toolchain: what a folder of settings is called. */
const FOLDER = /^(?:etc|conf(?:ig)?s?|\w+\.d|profiles?|global|user|settings|lisp|lua|custom|\d+(?:\.\d+)*|\.git)$/i;
/** What others wrote: as good as programs. */
const OF_OTHERS =
  /^(?:plugins?|plugged|bundle|pack|lazy|elpa|straight|node_modules|vendor|site-packages|themes?|colors?|completions?|fonts|icons|cache|\.cache|logs?|history|globalStorage|workspaceStorage)$/i;

/** How deep in a folder, and how many of its files: more is no settings that anybody wrote. */
export const DEEPEST = 3;
export const MOST_FILES = 400;

export const isInConfig = (place: string) => place.startsWith('.config/');
/** Copies that editors and people leave of settings; programs read none of them. */
export const isBackup = (name: string) => BACKUP.test(name) && SETTINGS.test(BACKUP.exec(name)?.[1] ?? '');
export const mayBeSettings = (name: string, isConfig: boolean) =>
  isConfig ? !OF_NO_TEXT.test(name) : SETTINGS.test(name);
export const mayHoldSettings = (name: string, isConfig: boolean) =>
  isConfig ? !OF_OTHERS.test(name) && name !== '.git' : FOLDER.test(name);
