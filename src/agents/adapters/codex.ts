import { type BuiltIn, type CommandRequest, option, when } from '../adapter.ts';

const USUAL_ADDRESS = 'https://api.openai.com/v1';

/** With a key in the environment Codex has to be told to use it; else it goes by its own log-in. */
function provider({ has, address }: CommandRequest): string[] {
  const url = address('OPENAI_BASE_URL');
  if (!has('OPENAI_API_KEY')) return url === undefined ? [] : ['-c', `openai_base_url=${JSON.stringify(url)}`];
  const fields = [
    'name="OpenAI"',
    `base_url=${JSON.stringify(url ?? USUAL_ADDRESS)}`,
    'env_key="OPENAI_API_KEY"',
    'wire_api="responses"',
    'env_http_headers={"OpenAI-Organization"="OPENAI_ORG_ID"}',
  ];
  return ['-c', `model_providers.environment={${fields.join(',')}}`, '-c', 'model_provider="environment"'];
}

export const codex: BuiltIn = {
  name: 'codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  extraKeys: ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_BASE_URL'],
  addresses: ['OPENAI_BASE_URL'],
  hosts: ['@openai'],
  settings: ['CODEX_HOME'],
  files: ['~/.codex/auth.json'],
  shown: ['~/.codex'],
  written: ['~/.codex/sessions', '~/.codex/log', '~/.codex/history.jsonl'],
  logInFiles: ['~/.codex/auth.json'],
  logIn: 'run `codex login`, or set OPENAI_API_KEY',
  notLoggedIn: /not logged in|401 unauthorized|missing environment variable|invalid_api_key|please run `?codex login/i,
  format: 'codex',
  version: ['--version'],
  command: (request) => ({
    args: [
      ...['exec', '--json', '--skip-git-repo-check', '--cd', request.workdir],
      ...provider(request),
      ...option('--model', request.model),
      ...when(request.unasked, '--dangerously-bypass-approvals-and-sandbox'),
      '-',
    ],
    stdin: request.prompt,
  }),
};
