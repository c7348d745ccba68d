import { wordsIn } from '../../host/bytes.ts';

/**
 * What programs leave in folders that are shown for their settings: the text of files that were edited, lines that were typed, what stood on
 * a screen, whole projects. By the names that programs give them, and by words that people give what should not be seen.
 */

const EDITORS = ['.vim', '.config/vim', '.config/nvim', '.local/share/nvim', '.cache/vim', '.cache/nvim'];
const COPIES = ['undo*', '.undo*', 'swap*', '.swap*', '.swp', 'backup*', '.backup*', 'tmp', 'temp', 'session*', 'view'];

const EMACS = ['.emacs.d', '.config/emacs'];
const COPIES_OF_EMACS = [
  ...['backup*', 'auto-save*', 'autosave*', 'undo*', '.cache', '.local', 'var', 'history', 'savehist*', 'recentf*'],
  ...['eshell', 'url', 'desktop*', '.emacs.desktop', 'session*', 'tramp*', 'network-security.data', '.authinfo*'],
];

const below = (folders: readonly string[], names: readonly string[]) =>
  folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));

export const LEFTOVERS: readonly { readonly why: string; readonly places: readonly string[] }[] = [
  {
    why: 'copies that editors keep of files',
    places: [
      ...below(EDITORS, COPIES),
      ...below(EMACS, COPIES_OF_EMACS),
      ...['.config/micro/backups', '.config/micro/buffers', '.config/doom/.local', '.local/share/nano'],
    ],
  },
  {
    why: 'what was typed and what stood on a screen',
    places: wordsIn(`
        .tmux/resurrect .local/share/tmux .config/nushell/history* .npm/_logs .yarn/logs .julia/logs .vim/.netrwhist
        .config/zellij/session* .cache/zellij .local/share/nvim/shada .config/nano/*history* .cache/pre-commit/*.log
    `),
  },
  {
    why: 'files that are called secret or private',
    places: [
      ...below(['.zsh', '.bashrc.d', '.config/zsh', '.config/bash', '.config/fish/conf.d'], ['*secret*', '*private*']),
      ...below(['.zsh', '.config/fish', ...EMACS], ['*token*', '*credential*', '*password*', '*api*key*']),
      ...['.zsh_*secret*', '.zsh_*private*', '.zsh_*token*', ...below(EMACS, ['*secret*', '*private*'])],
    ],
  },
  { why: 'log-ins to registries', places: ['.nvm/.npmrc', '.config/yarn/global/.npmrc'] },
  {
    why: 'projects among the files of a toolchain',
    places: ['go/src/*.*', '.go/src/*.*', '.local/share/go/src/*.*', '.julia/dev', '.virtualenvs/*/.env'],
  },
];
