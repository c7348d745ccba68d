import type { Probe } from '../../probe.ts';
import { type Steered, steered } from './steered.ts';

const GIT = 'https://git-scm.com/docs/git#_environment_variables';
const SETTINGS = 'https://git-scm.com/docs/git-config#ENVIRONMENT';
const REPOSITORY = 'git init -q repository; cd repository';
const ASK = 'printf "protocol=https\\nhost=host.invalid\\n\\n" | git credential fill';
const inGit = { needs: ['git'], reference: GIT };

const LINES: readonly Steered[] = [
  {
    name: 'git-config',
    variables: ({ program }) => ({
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: program,
    }),
    ...inGit,
    reference: SETTINGS,
    victim: `${REPOSITORY}; git status`,
    into: 'git, in every repository',
  },
  {
    name: 'git-config-global',
    variables: ({ at }) => ({ GIT_CONFIG_GLOBAL: `${at}/settings` }),
    files: ({ program }) => ({ settings: `[core]\n  fsmonitor = ${program}\n` }),
    ...inGit,
    reference: SETTINGS,
    victim: `${REPOSITORY}; git status`,
    into: 'git, in every repository',
  },
  {
    name: 'git-exec-path',
    variables: ({ at }) => ({ GIT_EXEC_PATH: at }),
    files: ({ shell }) => ({ 'git-remote-https': `#!/bin/sh\n${shell}\n` }),
    ...inGit,
    victim: 'git ls-remote https://host.invalid/repository',
    into: 'git, whenever it needs a part of itself',
  },
  {
    name: 'git-template-dir',
    variables: ({ at }) => ({ GIT_TEMPLATE_DIR: `${at}/template` }),
    files: ({ shell }) => ({ 'template/hooks/pre-commit': `#!/bin/sh\n${shell}\n` }),
    ...inGit,
    victim: `${REPOSITORY}; git -c user.name=me -c user.email=me@example.com commit --allow-empty -m text`,
    into: 'every repository that is made or cloned, as a hook',
  },
  {
    name: 'git-external-diff',
    variables: ({ program }) => ({ GIT_EXTERNAL_DIFF: program }),
    files: () => ({ old: 'old\n', new: 'new\n' }),
    ...inGit,
    victim: 'git diff --no-index old new',
    into: 'git, whenever it compares',
  },
  {
    name: 'git-proxy-command',
    variables: ({ program }) => ({ GIT_PROXY_COMMAND: program }),
    ...inGit,
    victim: 'git ls-remote git://host.invalid/repository',
    into: 'git, whenever it connects',
  },
  {
    name: 'git-askpass',
    variables: ({ program }) => ({ GIT_ASKPASS: program }),
    ...inGit,
    victim: ASK,
    into: 'git, whenever it needs a password, which the code is then told',
  },
  {
    name: 'ssh-askpass',
    variables: ({ program }) => ({ SSH_ASKPASS: program }),
    ...inGit,
    victim: ASK,
    into: 'git and ssh, whenever they need a password',
  },
  {
    name: 'git-editor',
    variables: ({ program }) => ({ GIT_EDITOR: program }),
    ...inGit,
    victim: `${REPOSITORY}; git -c user.name=me -c user.email=me@example.com commit --allow-empty`,
    into: 'git, whenever a text is to be written',
  },
  {
    // Where settings lie is the user's to say, and programs need it: a policy lets it through on purpose.
    name: 'xdg-config-home',
    variables: ({ at }) => ({ XDG_CONFIG_HOME: `${at}/settings` }),
    files: ({ program }) => ({ 'settings/git/config': `[core]\n  fsmonitor = ${program}\n` }),
    ...inGit,
    reference: 'https://specifications.freedesktop.org/basedir-spec/latest/',
    victim: `${REPOSITORY}; git status`,
    into: 'git, and all that reads its settings there',
    promise: 'nothing',
  },
];

export const GIT_VARIABLES: readonly Probe[] = LINES.map(steered);
