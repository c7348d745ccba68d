import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { lacking } from '../installed.ts';

const GIVES = 'the keys that people export where every shell reads them, although the command was started without them';
const BASH = 'https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html';

/** Ways people write it. */
const exportForms = (secret: string): readonly string[] => [
  `export API_TOKEN=${secret}`,
  `export FIRST=1 API_TOKEN='${secret}' LAST="x"`,
  `API_TOKEN="${secret}"; export API_TOKEN`,
  `declare -x API_TOKEN=${secret}`,
  `typeset -gx API_TOKEN=${secret}`,
  `if true; then export API_TOKEN=${secret}; fi`,
  `export API_TOKEN="first line\n${secret}"`,
  `export API_TOKEN=\\\n${secret}`,
  `# export API_TOKEN=${secret}`,
  `alias deploy='API_TOKEN=${secret} deploy'`,
  `set -a\nAPI_TOKEN=${secret}\nset +a`,
];

export const LOGIN_SHELL: Probe = {
  id: 'refill/login-shell',
  title: 'a login shell that fills the environment again from its start-up files',
  gives: GIVES,
  planted: 'a variable exported in ~/.bashrc, in all the ways people write it, which ~/.profile takes in',
  tried: 'bash -l, bash -i, and reading the files',
  reference: BASH,
  promise: 'credentials',
  inapplicable: () => lacking('bash'),
  plant: (scene) => {
    scene.file('.profile', '# mine\n. ~/.bashrc\n');
    scene.file('.bashrc', `alias ll='ls -l'\n\n${exportForms(scene.canary).join('\n')}\n`);
  },
  env: ({ canary }) => ({ API_TOKEN: canary }),
  trial: () => ({ sh: 'bash -lc env; bash -ic env 2>/dev/null; cat ~/.bashrc ~/.profile' }),
};

export const LOGIN_SHELL_ALONE: Probe = {
  id: 'refill/login-shell-alone',
  title: 'a login shell that reads exported secrets the caller itself does not have',
  gives: GIVES,
  planted: 'a variable exported in ~/.bashrc and ~/.zshenv, under a name that says nothing',
  tried: 'bash -l, bash -i, zsh, and reading the files',
  reference: BASH,
  promise: 'credentials',
  plant: (scene) => {
    scene.file('.profile', '. ~/.bashrc\n');
    scene.file('.bashrc', `export DEPLOY_THING='${scene.canary}'\nalias ll='ls -l'\n`);
    scene.file('.zshenv', `export DEPLOY_THING="${scene.canary}"\n`);
  },
  trial: () => ({ sh: 'bash -lc env; bash -ic env; zsh -c env; cat ~/.bashrc ~/.zshenv' }),
};

export const SH_LOGIN: Probe = {
  id: 'refill/sh-login',
  title: 'a login shell of plain sh',
  gives: GIVES,
  planted: 'a variable exported in ~/.profile',
  tried: 'sh -l',
  reference: 'https://man7.org/linux/man-pages/man1/dash.1.html',
  promise: 'credentials',
  plant: (scene) => scene.file('.profile', `TOKEN_OF_MINE=${scene.canary}\nexport TOKEN_OF_MINE\n`),
  trial: () => ({ sh: "sh -lc 'env' </dev/null" }),
};

export const SH_ENV: Probe = {
  id: 'refill/env-file-of-sh',
  title: 'the files that ENV and BASH_ENV of the caller name',
  gives: GIVES,
  planted: 'a variable exported in ~/.shrc and ~/.config/sh/env, which ENV and BASH_ENV of the caller name',
  tried: 'ENV=~/.shrc sh -i, BASH_ENV=~/.config/sh/env bash',
  reference: 'https://pubs.opengroup.org/onlinepubs/9799919799/utilities/sh.html',
  promise: 'credentials',
  plant: (scene) => {
    scene.file('.shrc', `export TOKEN_OF_MINE=${scene.canary}\n`);
    scene.file('.config/sh/env', `export TOKEN_OF_MINE=${scene.canary}\n`);
  },
  env: (scene) => ({ ENV: scene.path('.shrc'), BASH_ENV: scene.path('.config/sh/env') }),
  trial: () => ({
    sh: 'ENV=~/.shrc sh -ic env 2>/dev/null; BASH_ENV=~/.config/sh/env bash -c env; cat ~/.shrc ~/.config/sh/env',
  }),
};

export const ZSH: Probe = {
  id: 'refill/zsh',
  title: 'zsh, whose start-up files ZDOTDIR has moved',
  gives: GIVES,
  planted: 'variables exported in .zshenv, .zprofile, .zshrc and .zlogin of the folder that ZDOTDIR names',
  tried: 'zsh -l -i with that ZDOTDIR',
  reference: 'https://zsh.sourceforge.io/Doc/Release/Files.html',
  promise: 'credentials',
  inapplicable: () => lacking('zsh'),
  plant: (scene) =>
    ['.zshenv', '.zprofile', '.zshrc', '.zlogin'].map((name, at) =>
      scene.file(`zsh/${name}`, `export KEY_${at}='${scene.canary}'\n`),
    ),
  env: (scene) => ({ ZDOTDIR: scene.path('zsh') }),
  trial: (scene) => ({ sh: `ZDOTDIR=${scene.path('zsh')} zsh -l -i -c env </dev/null 2>&1` }),
};

export const FISH: Probe = {
  id: 'refill/fish',
  title: 'fish, whose files are written in another language',
  gives: GIVES,
  planted: 'a variable exported in ~/.config/fish/config.fish and conf.d, and a universal one in fish_variables',
  tried: 'fish, and reading the files',
  reference: 'https://fishshell.com/docs/current/language.html#configuration-files',
  promise: 'home',
  plant: (scene) => {
    scene.file('.config/fish/config.fish', `set -gx API_TOKEN ${scene.canary}\n`);
    scene.file('.config/fish/conf.d/keys.fish', `set -gx SECOND_TOKEN ${scene.canary}\n`);
    scene.file('.config/fish/fish_variables', `SETUVAR --export THIRD_TOKEN:${scene.canary}\n`);
  },
  trial: () => ({ sh: 'fish -c env; cd ~/.config/fish && cat config.fish conf.d/keys.fish fish_variables' }),
};

export const CSH: Probe = {
  id: 'refill/csh',
  title: 'csh and tcsh, whose files are written in another language',
  gives: GIVES,
  planted: 'a variable set in ~/.cshrc and ~/.login',
  tried: 'csh, and reading the files',
  reference: attack('T1546/004'),
  promise: 'home',
  plant: (scene) => {
    scene.file('.cshrc', `setenv API_TOKEN ${scene.canary}\n`);
    scene.file('.login', `setenv SECOND_TOKEN ${scene.canary}\n`);
  },
  trial: () => ({ sh: 'csh -c env; cat ~/.cshrc ~/.login' }),
};
