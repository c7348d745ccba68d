import { type BuiltIn, option, when } from '../adapter.ts';

export const qwen: BuiltIn = {
  name: 'qwen',
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  extraKeys: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  addresses: ['OPENAI_BASE_URL'],
  hosts: ['@qwen'],
  settings: ['OPENAI_MODEL'],
  files: ['~/.qwen/oauth_creds.json'],
  shown: ['~/.qwen'],
  written: ['~/.qwen/todos'],
  projects: [{ folder: '~/.qwen/projects', aside: ['memory'] }],
  logInFiles: ['~/.qwen/oauth_creds.json'],
  logIn: 'start `qwen` once and log in, or set OPENAI_API_KEY and OPENAI_BASE_URL',
  notLoggedIn: /no auth type is selected|missing api key|401|invalid access token/i,
  format: 'claude',
  version: ['--version'],
  command: ({ prompt, model, unasked, has }) => ({
    args: [
      ...['--output-format', 'stream-json'],
      ...when(has('OPENAI_API_KEY'), '--auth-type', 'openai'),
      ...option('--model', model),
      ...when(unasked, '--approval-mode', 'yolo'),
    ],
    stdin: prompt,
  }),
};
