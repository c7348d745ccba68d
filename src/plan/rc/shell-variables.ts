/**
 * Variables by which shells and their frameworks are set up. They matter in the shell that reads the file and nowhere else, so
 * they stay there, unexported, unless their value looks like a credential.
 */
const OWN = [
  ...[
    'PS[0-4]',
    'R?PROMPT[0-9]?',
    'PROMPT_\\w+',
    'RPS[12]',
    'SPROMPT',
    'HIST\\w+',
    'SAVEHIST',
    'LISTMAX',
    'KEYTIMEOUT',
    'REPORTTIME',
    'TIMEFMT',
  ],
  ...[
    'IFS',
    'FCEDIT',
    'WORDCHARS',
    'TMOUT',
    'MAIL\\w*',
    'LOGCHECK',
    'WATCH\\w*',
    'DIRSTACKSIZE',
    'GLOBIGNORE',
    'FIGNORE',
    'BASH_\\w+',
    'COMP_\\w+',
    'COMPREPLY',
  ],
  ...[
    'path',
    'fpath',
    'cdpath',
    'manpath',
    'infopath',
    'module_path',
    'FPATH',
    'CDPATH',
    'ZDOTDIR',
    'fignore',
    'chpwd_functions',
    'pre(?:cmd|exec)_functions',
  ],
  ...[
    'ZSH',
    'ZSH_\\w+',
    'plugins',
    'zstyle',
    'POWERLEVEL9K_\\w+',
    'P9K_\\w+',
    'ZINIT\\w*',
    'ZPLUG_\\w+',
    'ANTIGEN_\\w+',
    'BASH_IT\\w*',
    'OSH\\w*',
    'SCM_\\w+',
    'THEME_\\w+',
  ],
  ...[
    'CASE_SENSITIVE',
    'HYPHEN_INSENSITIVE',
    '(?:DISABLE|ENABLE)_[A-Z_]+',
    'COMPLETION_WAITING_DOTS',
    'UPDATE_ZSH_DAYS',
  ],
  ...[
    'color_prompt',
    'force_color_prompt',
    'debian_chroot',
    'LS_?COLORS',
    'CLICOLOR\\w*',
    'GREP_COLORS?',
    'GCC_COLORS',
    'LESS_TERMCAP_\\w+',
    'GIT_PS1_\\w+',
    'FZF_\\w+',
  ],
];

const PATTERN = new RegExp(`^(?:${OWN.join('|')})$`);

export function isShellVariable(name: string): boolean {
  return PATTERN.test(name);
}
