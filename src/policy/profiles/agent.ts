import type { ProfileData } from '../profile/schema.ts';

export const AGENT: ProfileData = {
  meta: {
    name: 'agent',
    description: 'A coding agent without any key: shell, terminal, git identity and language set-up',
  },
  environment: { base: 'agent' },
};
