import type { Dialect } from './syntax/index.ts';

/** Where shells begin; `*` is any part of one name. What these take in is followed from here. */
export const STARTUP_PLACES: readonly string[] = [
  ...['.bashrc', '.profile', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion'],
  ...[
    '.zshenv',
    '.zprofile',
    '.zshrc',
    '.zlogin',
    '.zlogout',
    '.kshrc',
    '.mkshrc',
    '.shrc',
    '.xprofile',
    '.xsessionrc',
  ],
  ...[
    '.bashrc.d/*',
    '.profile.d/*',
    '.config/bash/*',
    '.config/zsh/*',
    '.config/zsh/.z*',
    '.zsh/*',
    '.oh-my-zsh/custom/*',
    '.oh-my-bash/custom/*',
    '.config/plasma-workspace/env/*',
  ],
];

/** Lists of variables in the form of assignments, all of them exported. */
export const ENVIRONMENT_PLACES: readonly string[] = ['.config/environment.d/*.conf'];

/** Programs of others, taken in by start-up files: nobody keeps secrets in them, and a copy would be worse than the original. */
const PROGRAMS_OF_OTHERS =
  /^(?:\.nvm|\.oh-my-zsh(?!\/custom\/[^/]+$)|\.oh-my-bash(?!\/custom\/[^/]+$)|\.bash_it|\.antigen|\.antidote|\.zplug|\.zinit|\.zim|\.zgen|\.zprezto|\.fzf|\.asdf|\.sdkman|\.pyenv|\.rbenv|\.nodenv|\.jenv|\.goenv|\.volta|\.bun|\.deno|\.ghcup|\.opam|\.cargo|\.rustup|\.linuxbrew|\.local\/(?:share|lib|state)|\.cache|\.nix-profile|(?:mini|ana|mamba)(?:conda|forge)3?|powerlevel10k|\.powerlevel10k|\.fzf\.(?:bash|zsh)|\.p10k\.zsh)(?:\/|$)/;

export function isOfOthers(rest: string): boolean {
  return PROGRAMS_OF_OTHERS.test(rest);
}

/** Zsh understands what bash does, and more that bash would read otherwise. */
export function dialectOf(path: string, takenInBy?: Dialect): Dialect {
  if (/(?:^|\/)\.z[^/]*$|\.zsh$|\/\.?zsh\/|\/\.oh-my-zsh\//.test(path)) return 'zsh';
  return /(?:^|\/)\.(?:bash|profile)[^/]*$|\.(?:ba)?sh$/.test(path) ? 'bash' : (takenInBy ?? 'bash');
}
