import { SETTINGS_IN_HOME } from '../places/shown.ts';

/*
 * Which files of a home are looked through for log-ins (any.ts): settings, wherever they are shown. Of a folder in `.config`, or of an
 * editor, that is every file; what lies too deep or is too much for that is not shown. Of a toolchain, whose folders hold programs, it is
 * what is called as settings are, in it and in folders that are.
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
/** What a package manager unpacked: as good as programs. */
const FETCHED = /^(?:node_modules|site-packages|elpa|straight|eln-cache)$/;
/** Where clones of what others wrote lie, beside what people wrote. */
const OF_CLONES = /^(?:plugins?|plugged|bundle|pack|start|opt|lazy|themes?|vendor|repos)$/i;
/** Folders that are an editor's settings, as those in `.config` are. */
const OF_EDITORS = new Set(['.vim', '.emacs.d', '.doom.d', '.tmux', '.zsh']);

/** How deep in a toolchain, and how many of its files: more is no settings that anybody wrote. */
export const DEEPEST = 3;
export const MOST_FILES = 400;
/** The same of a folder that is entered whole. Starter kits of editors have some 1,700 files, six folders deep. */
export const DEEPEST_IN_CONFIG = 8;
export const MOST_IN_CONFIG = 2000;

export const isInConfig = (place: string) => place.startsWith('.config/') || OF_EDITORS.has(place);
/** Copies that editors and people leave of settings; programs read none of them. */
export const isBackup = (name: string) => BACKUP.test(name) && SETTINGS.test(BACKUP.exec(name)?.[1] ?? '');
export const mayBeSettings = (name: string, isConfig: boolean) =>
  isConfig ? !OF_NO_TEXT.test(name) : SETTINGS.test(name);
export const isToolsSettings = (folder: string) => FOLDER.test(folder);
export const isFetched = (folder: string) => FETCHED.test(folder);
export const mayHoldClones = (folder: string) => OF_CLONES.test(folder);
