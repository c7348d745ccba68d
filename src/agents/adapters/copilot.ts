import { type BuiltIn, LONGEST_ARGUMENT, option, when } from '../adapter.ts';

/** Of the three tokens it would take, only the one that is meant for it: the others open everything on GitHub. */
export const copilot: BuiltIn = {
  name: 'copilot',
  program: 'copilot',
  install: 'npm install -g @github/copilot',
  extraKeys: ['COPILOT_GITHUB_TOKEN'],
  addresses: ['COPILOT_PROVIDER_BASE_URL'],
  hosts: ['@github', 'githubcopilot.com', '*.githubcopilot.com'],
  settings: ['COPILOT_MODEL', 'COPILOT_HOME', 'COPILOT_GH_HOST'],
  files: ['~/.copilot/config.json'],
  shown: ['~/.copilot'],
  written: ['~/.copilot/history-session-state', '~/.copilot/logs'],
  logIn: 'start `copilot` once and type /login, or set COPILOT_GITHUB_TOKEN',
  notLoggedIn: /no authentication information found|not logged in|authentication failed/i,
  format: 'text',
  version: ['--version'],
  command: ({ prompt, model, unasked }) => {
    const long = prompt.length > LONGEST_ARGUMENT - '--prompt='.length;
    const args = [
      ...['--silent', '--no-color', '--no-auto-update'],
      ...option('--model', model),
      ...when(unasked, '--allow-all-tools', '--no-ask-user'),
      ...when(!long, `--prompt=${prompt}`),
    ];
    return long ? { args, stdin: prompt } : { args };
  },
};
