import type { ProfileData } from '../profile/schema.ts';

export const CODEX: ProfileData = {
  meta: { name: 'codex', description: 'Codex, with the OpenAI key of this shell and no other' },
  extends: 'agent',
  environment: { allow_vars: ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_BASE_URL', 'CODEX_HOME'] },
  filesystem: { expose: ['~/.codex/auth.json'] },
};
