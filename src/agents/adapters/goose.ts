import { type BuiltIn, option } from '../adapter.ts';

export const goose: BuiltIn = {
  name: 'goose',
  program: 'goose',
  install: 'curl -fsSL https://github.com/block/goose/releases/latest/download/goose-install.sh | sh',
  extraKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'],
  addresses: ['ANTHROPIC_HOST', 'OPENAI_HOST', 'OLLAMA_HOST', 'OPENROUTER_HOST'],
  hosts: ['@anthropic', '@openai', '@google', '@openrouter'],
  settings: ['GOOSE_PROVIDER', 'GOOSE_MODEL', 'GOOSE_MODE', 'GOOSE_MAX_TURNS'],
  files: ['~/.config/goose/secrets.yaml'],
  shown: ['~/.config/goose', '~/.local/share/goose'],
  written: ['~/.local/share/goose/sessions', '~/.local/state/goose'],
  logInFiles: ['~/.config/goose/secrets.yaml'],
  logIn: 'run `goose configure`, or set GOOSE_PROVIDER and the key of that provider',
  notLoggedIn: /no provider configured|goose configure|authentication (?:error|failed)|configuration value not found/i,
  format: 'text',
  version: ['--version'],
  command: ({ prompt, model }) => ({
    args: ['run', '--no-session', '--quiet', ...option('--model', model), '--instructions', '-'],
    stdin: prompt,
  }),
};
