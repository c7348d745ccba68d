import { type BuiltIn, option, when } from '../adapter.ts';

export const opencode: BuiltIn = {
  name: 'opencode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  extraKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_API_KEY'],
  addresses: ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'],
  hosts: ['opencode.ai', '*.opencode.ai', 'models.dev', '@anthropic', '@openai', '@openrouter'],
  settings: [],
  files: ['~/.local/share/opencode/auth.json'],
  shown: ['~/.config/opencode', '~/.opencode', '~/.local/share/opencode', '~/.local/state/opencode'],
  written: ['~/.local/share/opencode/storage', '~/.local/share/opencode/log'],
  logInFiles: ['~/.local/share/opencode/auth.json'],
  logIn: 'run `opencode auth login`, or set the key of a provider, ANTHROPIC_API_KEY for one',
  notLoggedIn: /no provider|api key is missing|providerautherror|unauthorized|invalid x-api-key/i,
  format: 'opencode',
  version: ['--version'],
  command: ({ prompt, model, workdir, unasked }) => ({
    args: ['run', '--format', 'json', '--dir', workdir, ...option('--model', model), ...when(unasked, '--auto')],
    stdin: prompt,
  }),
};
