import { type BuiltIn, LONGEST_ARGUMENT, option, when } from '../adapter.ts';

export const cursor: BuiltIn = {
  name: 'cursor',
  program: 'cursor-agent',
  install: 'curl https://cursor.com/install -fsS | bash',
  extraKeys: ['CURSOR_API_KEY'],
  addresses: [],
  hosts: ['cursor.com', '*.cursor.com', 'cursor.sh', '*.cursor.sh'],
  settings: [],
  files: ['~/.config/cursor/auth.json', '~/.cursor/auth.json'],
  shown: ['~/.config/cursor', '~/.cursor', '~/.cursor/mcp.json'],
  written: ['~/.cursor/chats'],
  logInFiles: ['~/.config/cursor/auth.json', '~/.cursor/auth.json'],
  logIn: 'run `cursor-agent login`, or set CURSOR_API_KEY',
  notLoggedIn: /not logged in|authentication required|cursor-agent login|invalid api key/i,
  format: 'claude',
  version: ['--version'],
  command: ({ prompt, model, unasked }) => {
    const long = prompt.length > LONGEST_ARGUMENT;
    const args = [
      ...['--print', '--output-format', 'stream-json'],
      ...option('--model', model),
      ...when(unasked, '--force'),
      ...when(!long, '--', prompt),
    ];
    return long ? { args, stdin: prompt } : { args };
  },
};
