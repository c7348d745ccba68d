import type { BuiltIn } from '../adapter.ts';

/** Amp chooses its models by a mode of its own, so a model is given as one. */
export const amp: BuiltIn = {
  name: 'amp',
  program: 'amp',
  install: 'npm install -g @sourcegraph/amp',
  extraKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'SRC_ENDPOINT', 'SRC_ACCESS_TOKEN'],
  addresses: ['SRC_ENDPOINT', 'AMP_URL'],
  hosts: ['ampcode.com', '*.ampcode.com'],
  settings: [],
  files: ['~/.local/share/amp/secrets.json'],
  shown: ['~/.config/amp', '~/.local/share/amp'],
  written: ['~/.local/share/amp/threads', '~/.local/share/amp/history.jsonl'],
  logInFiles: ['~/.local/share/amp/secrets.json'],
  logInKeys: ['SRC_ACCESS_TOKEN'],
  logIn: 'run `amp login`, or set SRC_ACCESS_TOKEN',
  notLoggedIn: /cli-login|login failed|not logged in|invalid or missing api key|401/i,
  format: 'claude',
  version: ['--version'],
  command: ({ prompt, model }) => ({
    args: ['--execute', '--stream-json', '--no-notifications', ...(model === undefined ? [] : ['--mode', model])],
    stdin: prompt,
  }),
};
