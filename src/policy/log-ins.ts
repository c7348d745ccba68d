/** A log-in of a subscription: how an agent keeps it in a file, how it is renewed, and where its tokens may go. */
export interface LogIn {
  /** Whose keys the same agent could be started with. */
  readonly service: string;
  /** Variables that the same agent takes a log-in or a key from, and that it is given only with a broker. */
  readonly variables: readonly string[];
  /** Pages and code that all of this is taken from. */
  readonly sources: readonly string[];
  /** Where tokens are handed out, always by POST. */
  readonly hosts: readonly string[];
  readonly path: string;
  /** For whom: nobody else renews them. */
  readonly client: string;
  readonly tokens: readonly LogInToken[];
  /** What else of the file the command finds; all the rest of it is left out. */
  readonly shown: readonly string[];
  /** What else of an answer the command gets. */
  readonly answered: readonly string[];
  /** What of the file says until when the access token is good, or since when, and how. */
  readonly time: { readonly at: string; readonly says: 'end in milliseconds' | 'start' };
  /** What of the file says whose it is, and the claim of the ID token that it comes from. */
  readonly account?: { readonly at: string; readonly claim: readonly [string, string] };
}

export interface LogInToken {
  /** In an answer; undefined: it is never in one. */
  readonly field?: 'access_token' | 'refresh_token' | 'id_token';
  /** In the file; `a.b` is the field b in a. */
  readonly at: string;
  /** As in `for`, `as` and `paths` of a credential. What is good for no request at all has no place. */
  readonly for: readonly string[];
  readonly as: readonly string[];
  readonly paths?: readonly string[];
}

const AT_CLAUDE = ['platform.claude.com', 'console.anthropic.com'];
const AT_OPENAI = ['auth.openai.com'];
const AT_GOOGLE = ['oauth2.googleapis.com'];

/** By the name of the agent. None of the vendors documents the files and addresses: they are read in programs that use them. */
export const LOG_INS = {
  claude: {
    service: 'anthropic',
    variables: ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_AUTH_TOKEN'],
    sources: [
      'https://docs.anthropic.com/en/docs/claude-code/iam',
      'https://github.com/anthropics/claude-code/issues/21765',
      'https://github.com/griffinmartin/opencode-claude-auth/pull/60',
      'https://github.com/terok-ai/terok/issues/553',
    ],
    hosts: AT_CLAUDE,
    path: '/v1/oauth/token',
    client: '9d1c250a-e61b-44d9-88ed-5944d1962f5e',
    tokens: [
      { field: 'access_token', at: 'claudeAiOauth.accessToken', for: ['api.anthropic.com'], as: ['authorization'] },
      { field: 'refresh_token', at: 'claudeAiOauth.refreshToken', for: AT_CLAUDE, as: ['body refresh_token'] },
    ],
    shown: ['expiresAt', 'refreshTokenExpiresAt', 'scopes', 'subscriptionType', 'rateLimitTier'].map(
      (name) => `claudeAiOauth.${name}`,
    ),
    answered: [
      ...['token_type', 'expires_in', 'refresh_token_expires_in', 'scope', 'account', 'organization'],
      'token_uuid',
    ],
    time: { at: 'claudeAiOauth.expiresAt', says: 'end in milliseconds' },
  },
  codex: {
    service: 'openai',
    variables: ['CODEX_API_KEY'],
    sources: [
      'https://developers.openai.com/codex/auth',
      'https://github.com/openai/codex/blob/main/codex-rs/login/src/auth/storage.rs',
      'https://github.com/openai/codex/blob/main/codex-rs/login/src/auth/manager.rs',
      'https://github.com/validatedev/CodexBar/blob/main/docs/codex-oauth.md',
    ],
    hosts: AT_OPENAI,
    path: '/oauth/token',
    client: 'app_EMoamEEZ73f0CkXaXp7hrann',
    tokens: [
      {
        field: 'access_token',
        at: 'tokens.access_token',
        for: ['chatgpt.com'],
        as: ['authorization'],
        paths: ['/backend-api/**'],
      },
      { field: 'refresh_token', at: 'tokens.refresh_token', for: AT_OPENAI, as: ['body refresh_token'] },
      { field: 'id_token', at: 'tokens.id_token', for: AT_OPENAI, as: [] },
      { at: 'OPENAI_API_KEY', for: ['api.openai.com'], as: ['authorization'] },
    ],
    shown: ['auth_mode', 'last_refresh', 'tokens.account_id'],
    answered: ['token_type', 'expires_in', 'scope'],
    time: { at: 'last_refresh', says: 'start' },
    account: { at: 'tokens.account_id', claim: ['https://api.openai.com/auth', 'chatgpt_account_id'] },
  },
  gemini: {
    service: 'gemini',
    variables: [],
    sources: [
      'https://developers.google.com/identity/protocols/oauth2/native-app',
      'https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/code_assist/oauth2.ts',
      'https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/code_assist/server.ts',
    ],
    hosts: AT_GOOGLE,
    path: '/token',
    client: '681255809395-oo8ft2oprdrnp9e3aqf6av3hmdib135j.apps.googleusercontent.com',
    tokens: [
      {
        field: 'access_token',
        at: 'access_token',
        for: ['cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'www.googleapis.com'],
        as: ['authorization'],
        paths: ['/v1internal**', '/tokeninfo', '/oauth2/v2/userinfo'],
      },
      { field: 'refresh_token', at: 'refresh_token', for: AT_GOOGLE, as: ['body refresh_token'] },
      { field: 'id_token', at: 'id_token', for: AT_GOOGLE, as: [] },
    ],
    shown: ['scope', 'token_type', 'expiry_date'],
    answered: ['token_type', 'expires_in', 'scope'],
    time: { at: 'expiry_date', says: 'end in milliseconds' },
  },
} as const satisfies Readonly<Record<string, LogIn>>;

export type LogInName = keyof typeof LOG_INS;

export const isLogInName = (name: string): name is LogInName => Object.hasOwn(LOG_INS, name);

export const logInOf = (name: LogInName): LogIn => LOG_INS[name];

/** A file with the log-in of an agent, of which the command gets placeholders. */
export interface LogInRule {
  readonly agent: LogInName;
  /** Where the agent looks for it. */
  readonly path: string;
  /** Where that leads to. */
  readonly file: string;
  /** Of one that is kept in the vault, whose file above has marks for tokens: the entry with its key, and the file that it opens. */
  readonly vaulted?: { readonly entry: string; readonly file: string } | undefined;
  readonly origin: string;
}

/** In the places of tokens, in the file of an agent whose log-in is in the vault. */
export const LOG_IN_MARK = 'in-the-vault-of-cordon';
