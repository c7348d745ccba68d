import { type BuiltIn, option, when } from '../adapter.ts';

export const gemini: BuiltIn = {
  name: 'gemini',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  extraKeys: ['GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_APPLICATION_CREDENTIALS', 'GEMINI_API_KEY'],
  addresses: ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'],
  hosts: ['@google'],
  settings: ['GEMINI_MODEL', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
  pathKeys: ['GOOGLE_APPLICATION_CREDENTIALS'],
  alias: { name: 'GEMINI_API_KEY', from: 'GOOGLE_API_KEY' },
  files: ['~/.gemini/oauth_creds.json', '~/.gemini/google_accounts.json'],
  shown: ['~/.gemini'],
  written: [],
  logInFiles: ['~/.gemini/oauth_creds.json'],
  logIn: 'start `gemini` once and log in, or set GEMINI_API_KEY',
  notLoggedIn:
    /set an auth method|invalid auth method|api key not valid|unauthenticated|must specify the GEMINI_API_KEY/i,
  format: 'gemini',
  version: ['--version'],
  command: ({ prompt, model, unasked }) => ({
    args: [
      ...['--output-format', 'stream-json'],
      ...option('--model', model),
      ...when(unasked, '--approval-mode', 'yolo', '--skip-trust'),
    ],
    stdin: prompt,
  }),
};
