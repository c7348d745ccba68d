/** Programs that are agents, by the names people type, with the adapter of each. Kept apart from the adapters: every launch looks here. */
export const KNOWN_PROGRAMS: Readonly<Record<string, string>> = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  qwen: 'qwen',
  opencode: 'opencode',
  amp: 'amp',
  aider: 'aider',
  goose: 'goose',
  copilot: 'copilot',
  'cursor-agent': 'cursor',
};

/** The adapter that a command goes by, judged by its last name. */
export function knownAgent(command: string): string | undefined {
  const name = command.slice(command.lastIndexOf('/') + 1);
  return Object.hasOwn(KNOWN_PROGRAMS, name) ? KNOWN_PROGRAMS[name] : undefined;
}
