import { type BuiltIn, option, when } from '../adapter.ts';

export const claude: BuiltIn = {
  name: 'claude',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  extraKeys: ['ANTHROPIC_API_KEY'],
  addresses: ['ANTHROPIC_BASE_URL'],
  hosts: ['@anthropic'],
  settings: ['ANTHROPIC_MODEL', 'CLAUDE_CONFIG_DIR'],
  files: ['~/.claude/.credentials.json'],
  shown: ['~/.claude', '~/.claude.json'],
  written: ['~/.claude/todos'],
  projects: [{ folder: '~/.claude/projects', aside: ['memory'] }],
  logInFiles: ['~/.claude/.credentials.json'],
  logIn: 'start `claude` once and type /login, or set ANTHROPIC_API_KEY',
  notLoggedIn: /not logged in|please run \/login|invalid api key|authentication_error|invalid x-api-key/i,
  format: 'claude',
  version: ['--version'],
  refusesUnaskedAsRoot: true,
  sandboxMark: 'IS_SANDBOX',
  command: ({ prompt, model, unasked }) => ({
    args: [
      ...['--print', '--output-format', 'stream-json', '--verbose'],
      ...option('--model', model),
      ...when(unasked, '--dangerously-skip-permissions'),
    ],
    stdin: prompt,
  }),
};
