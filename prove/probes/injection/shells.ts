import type { Probe } from '../../probe.ts';
import { lacking } from '../installed.ts';
import { type Steered, steered } from './steered.ts';

const BASH = 'https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html';

const LINES: readonly Steered[] = [
  {
    name: 'bash-env',
    variables: ({ program }) => ({ BASH_ENV: program }),
    needs: ['bash'],
    victim: 'bash -c :',
    into: 'every script that bash runs',
    reference: BASH,
  },
  {
    name: 'env',
    variables: ({ program }) => ({ ENV: program }),
    needs: ['sh'],
    victim: 'sh -i',
    into: 'every interactive POSIX shell',
    reference: 'https://pubs.opengroup.org/onlinepubs/9699919799/utilities/sh.html',
  },
  {
    name: 'prompt-command',
    variables: ({ shell }) => ({ PROMPT_COMMAND: shell }),
    needs: ['bash'],
    victim: 'bash --norc -i',
    into: 'every interactive bash, at each prompt',
    reference: BASH,
  },
  {
    name: 'ps0',
    variables: ({ shell }) => ({ PS0: `$(${shell})` }),
    needs: ['bash'],
    victim: 'echo true | bash --norc -i',
    into: 'every interactive bash, before each command',
    reference: BASH,
  },
  {
    name: 'ps1',
    variables: ({ shell }) => ({ PS1: `$(${shell})` }),
    needs: ['bash'],
    victim: 'echo true | bash --norc -i',
    into: 'every interactive bash without a start-up file, at each prompt',
    reference: BASH,
  },
  {
    name: 'ps4',
    variables: ({ shell }) => ({ PS4: `$(${shell})`, SHELLOPTS: 'xtrace' }),
    needs: ['bash'],
    victim: 'bash -c :',
    into: 'every script that bash runs, at each command',
    reference: BASH,
    inapplicable: ({ uid }) => (uid === 0 ? 'bash takes no PS4 over for root' : undefined),
  },
  {
    name: 'zdotdir',
    variables: ({ at }) => ({ ZDOTDIR: at }),
    files: ({ shell }) => ({ '.zshenv': shell }),
    needs: ['zsh'],
    victim: 'zsh -c :',
    into: 'every zsh',
    reference: 'https://zsh.sourceforge.io/Doc/Release/Files.html',
  },
  {
    name: 'fish-functions',
    variables: ({ at }) => ({ fish_function_path: at }),
    files: ({ program }) => ({ 'ls.fish': `function ls; ${program}; end\n` }),
    needs: ['fish'],
    victim: 'fish -c ls',
    into: 'every fish that calls a function of that name',
    reference: 'https://fishshell.com/docs/current/language.html#autoloading-functions',
  },
];

// Shells of other kinds drop such a name: nothing but bash and Python may stand between.
const EXPORTED_FUNCTION: Probe = {
  id: 'injection/exported-function',
  title: 'BASH_FUNC_ls%%: code in every script that bash runs, under the name of a command',
  gives: 'code of whoever set it in every script that calls the command',
  planted: "BASH_FUNC_ls%% in the caller's environment",
  tried: 'calling ls in bash',
  reference: 'https://www.gnu.org/software/bash/manual/html_node/Shell-Functions.html',
  promise: 'environment',
  inapplicable: () => lacking('bash'),
  env: ({ canary }) => ({ 'BASH_FUNC_ls%%': `() { echo ${canary}; }` }),
  starter: () => [],
  trial: () => ({ python: "import subprocess\nsubprocess.run(['bash', '-c', 'ls'])" }),
};

export const SHELLS: readonly Probe[] = [...LINES.map(steered), EXPORTED_FUNCTION];
