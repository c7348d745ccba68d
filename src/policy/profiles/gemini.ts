import type { ProfileData } from '../profile/schema.ts';

export const GEMINI: ProfileData = {
  meta: { name: 'gemini', description: 'Gemini CLI, with the Google keys of this shell and no other' },
  extends: 'agent',
  environment: {
    allow_vars: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_APPLICATION_CREDENTIALS'],
  },
  filesystem: { expose: ['~/.gemini/oauth_creds.json', '~/.gemini/google_accounts.json'] },
};
