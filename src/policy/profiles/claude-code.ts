import type { ProfileData } from '../profile/schema.ts';

export const CLAUDE_CODE: ProfileData = {
  meta: { name: 'claude-code', description: 'Claude Code, with the Anthropic key of this shell and no other' },
  extends: 'agent',
  environment: { allow_vars: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR'] },
  filesystem: { expose: ['~/.claude.json', '~/.claude/.credentials.json'] },
};
