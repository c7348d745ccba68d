import { type BuiltIn, option, when } from '../adapter.ts';

export const aider: BuiltIn = {
  name: 'aider',
  program: 'aider',
  install: 'python3 -m pip install aider-install && aider-install',
  extraKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY'],
  addresses: ['ANTHROPIC_BASE_URL', 'OPENAI_API_BASE', 'AZURE_API_BASE'],
  hosts: ['@anthropic', '@openai', '@openrouter', '@deepseek', '@google'],
  settings: ['AIDER_MODEL', 'AZURE_API_VERSION'],
  files: ['~/.aider/oauth-keys.env'],
  shown: ['~/.aider.conf.yml', '~/.aider.model.settings.yml', '~/.aider'],
  written: [],
  logIn: 'set ANTHROPIC_API_KEY or OPENAI_API_KEY',
  notLoggedIn:
    /no llm model was specified|no api keys? (?:were|was) provided|authenticationerror|missing these environment variables/i,
  format: 'text',
  version: ['--version'],
  command: ({ prompt, model, unasked }) => ({
    args: [
      ...[
        '--message-file',
        '/dev/stdin',
        '--no-pretty',
        '--no-check-update',
        '--no-show-release-notes',
        '--no-browser',
      ],
      ...option('--model', model),
      ...when(unasked, '--yes-always'),
    ],
    stdin: prompt,
  }),
};
