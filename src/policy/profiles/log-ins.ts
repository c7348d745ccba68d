/** Where agents keep their log-ins, below a home. Who has not logged in yet, or uses a key, has none: that is no mistake in a policy. */
export const AGENT_LOG_INS = {
  claude: ['~/.claude.json', '~/.claude/.credentials.json'],
  codex: ['~/.codex/auth.json'],
  gemini: ['~/.gemini/oauth_creds.json', '~/.gemini/google_accounts.json'],
};
