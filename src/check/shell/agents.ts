import { BUILT_IN_ADAPTERS } from '../../agents/registry.ts';
import { commandsOf, programName, programOf, type ShellCommand } from './commands.ts';

export interface KnownAgent {
  readonly name: string;
  /** Commands and packages that start it. */
  readonly programs: readonly string[];
  /** GitHub actions that run it. */
  readonly actions: readonly string[];
  readonly images: readonly string[];
  /** What it needs itself. */
  readonly keys: readonly string[];
}

const CLAUDE_KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
];
const GOOGLE_KEYS = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'];

/** How agents are started outside Cordon. `also`: keys of other ways to log in than those that their adapters pass on. */
const STARTED: readonly (Omit<KnownAgent, 'keys'> & { readonly also: readonly string[] })[] = [
  {
    name: 'claude',
    programs: ['claude', '@anthropic-ai/claude-code'],
    actions: ['anthropics/claude-code-action', 'anthropics/claude-code-base-action'],
    images: ['claude-code'],
    also: CLAUDE_KEYS,
  },
  {
    name: 'codex',
    programs: ['codex', '@openai/codex'],
    actions: ['openai/codex-action'],
    images: ['codex'],
    also: ['CODEX_API_KEY'],
  },
  {
    name: 'gemini',
    programs: ['gemini', '@google/gemini-cli'],
    actions: ['google-github-actions/run-gemini-cli', 'google-gemini/gemini-cli-action'],
    images: ['gemini-cli'],
    also: [],
  },
  {
    name: 'qwen',
    programs: ['qwen', '@qwen-code/qwen-code'],
    actions: [],
    images: ['qwen-code'],
    also: ['DASHSCOPE_API_KEY'],
  },
  {
    name: 'aider',
    programs: ['aider', 'aider-chat'],
    actions: [],
    images: ['aider', 'aider-full'],
    also: ['OPENROUTER_API_KEY', 'DEEPSEEK_API_KEY', ...CLAUDE_KEYS, ...GOOGLE_KEYS],
  },
  { name: 'amp', programs: ['amp', '@sourcegraph/amp'], actions: [], images: [], also: ['AMP_API_KEY'] },
  {
    name: 'opencode',
    programs: ['opencode', 'opencode-ai'],
    actions: ['sst/opencode/github', 'anomalyco/opencode/github'],
    images: ['opencode'],
    also: [...CLAUDE_KEYS, ...GOOGLE_KEYS],
  },
  { name: 'cursor', programs: ['cursor-agent'], actions: [], images: [], also: [] },
  {
    name: 'goose',
    programs: ['goose'],
    actions: ['block/goose'],
    images: ['goose'],
    also: [...CLAUDE_KEYS, ...GOOGLE_KEYS],
  },
  {
    name: 'copilot',
    programs: ['copilot', '@github/copilot'],
    actions: [],
    images: [],
    also: ['GH_TOKEN', 'GITHUB_TOKEN'],
  },
];

/** An agent's keys are those of its adapter: what Cordon would pass on to it is not foreign to it elsewhere. */
const KNOWN_AGENTS: readonly KnownAgent[] = STARTED.map(({ also, ...agent }) => ({
  ...agent,
  keys: [...new Set([...(BUILT_IN_ADAPTERS.find(({ name }) => name === agent.name)?.extraKeys ?? []), ...also])],
}));

/** The agent that a script starts by itself; one that Cordon starts has its filter. */
export function agentIn(script: string): KnownAgent | undefined {
  return commandsOf(script)
    .map(programOf)
    .filter((command) => !isOnlyAsked(command))
    .map((command) => KNOWN_AGENTS.find(({ programs }) => programs.includes(programName(command))))
    .find((agent) => agent !== undefined);
}

/** `claude --version` reads nothing that could turn it. */
const isOnlyAsked = (command: ShellCommand) =>
  command.length === 2 && /^(?:--?version|-[vVh]|--help|update|doctor)$/.test(command[1]?.text ?? '');

export function agentOfAction(uses: string): KnownAgent | undefined {
  const action = uses.replace(/@.*$/, '').toLowerCase();
  return KNOWN_AGENTS.find(({ actions }) => actions.includes(action));
}

export function agentOfImage(image: string): KnownAgent | undefined {
  const name = image.replace(/@.*$/, '').split('/').at(-1)?.replace(/:.*$/, '') ?? '';
  return KNOWN_AGENTS.find(({ images }) => images.includes(name));
}
