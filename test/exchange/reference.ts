/**
 * What Codex and Gemini CLI do with an environment, written anew from what their published sources do (Codex: protocol/shell_environment.rs with
 * its patterns; Gemini CLI: services/environmentSanitization.ts), as the tests' measure for imported policies.
 */
export type Variables = ReadonlyMap<string, string>;

export interface CodexPolicy {
  readonly inherit?: 'all' | 'core' | 'none';
  readonly ignore_default_excludes?: boolean;
  readonly exclude?: readonly string[];
  readonly set?: Readonly<Record<string, string>>;
  readonly include_only?: readonly string[];
}

const CORE = ['PATH', 'SHELL', 'TMPDIR', 'TEMP', 'TMP', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'USER'];
const lower = (text: string) => text.replace(/[A-Z]/g, (one) => one.toLowerCase());

/** `*` any run, `?` one character, all else itself, in any case. */
function codexMatch(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  const [head = '', rest] = [pattern[0], pattern.slice(1)];
  if (head === '*') return codexMatch(rest, name) || (name !== '' && codexMatch(pattern, name.slice(1)));
  if (name === '') return false;
  return (head === '?' || lower(head) === lower(name[0] as string)) && codexMatch(rest, name.slice(1));
}

export function codexEnvironment(policy: CodexPolicy, variables: Variables): Map<string, string> {
  const { inherit = 'all', ignore_default_excludes = true, exclude = [], set = {}, include_only = [] } = policy;
  const matchesAny = (name: string, patterns: readonly string[]) => patterns.some((one) => codexMatch(one, name));
  const inherited = (name: string) =>
    inherit === 'all' || (inherit === 'core' && CORE.some((one) => lower(one) === lower(name)));
  const result = new Map([...variables].filter(([name]) => inherited(name)));
  for (const name of [...result.keys()]) {
    const byDefault = !ignore_default_excludes && matchesAny(name, ['*KEY*', '*SECRET*', '*TOKEN*']);
    if (byDefault || matchesAny(name, exclude)) result.delete(name);
  }
  for (const [name, value] of Object.entries(set)) result.set(name, value);
  if (include_only.length > 0)
    for (const name of [...result.keys()]) if (!matchesAny(name, include_only)) result.delete(name);
  return result;
}

export interface GeminiPolicy {
  readonly enabled?: boolean;
  readonly allowed?: readonly string[];
  readonly blocked?: readonly string[];
}

const ALWAYS = new Set(
  'PATH SYSTEMROOT COMSPEC PATHEXT WINDIR TEMP TMP USERPROFILE SYSTEMDRIVE HOME LANG SHELL TMPDIR USER LOGNAME ADDITIONAL_CONTEXT AVAILABLE_LABELS BRANCH_NAME DESCRIPTION EVENT_NAME GITHUB_ENV IS_PULL_REQUEST ISSUES_TO_TRIAGE ISSUE_BODY ISSUE_NUMBER ISSUE_TITLE PULL_REQUEST_NUMBER REPOSITORY TITLE TRIGGERING_ACTOR'.split(
    ' ',
  ),
);
const NEVER = new Set(
  'CLIENT_ID DB_URI CONNECTION_STRING AWS_DEFAULT_REGION AZURE_CLIENT_ID AZURE_TENANT_ID SLACK_WEBHOOK_URL TWILIO_ACCOUNT_SID DATABASE_URL GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_ACCOUNT FIREBASE_PROJECT_ID'.split(
    ' ',
  ),
);
const WORDS = /TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT/i;
const VALUES = [
  /-----BEGIN (RSA|OPENSSH|EC|PGP) PRIVATE KEY-----/i,
  /-----BEGIN CERTIFICATE-----/i,
  /(https?|ftp|smtp):\/\/[^:]+:[^@]+@/i,
  /(ghp|gho|ghu|ghs|ghr|github_pat)_[a-z0-9_]{36,}/i,
  /AIzaSy[a-z0-9_\\-]{33}/i,
  /AKIA[A-Z0-9]{16}/i,
  /eyJ[a-z0-9_-]*\.[a-z0-9_-]*\.[a-z0-9_-]*/i,
  /[sr]k_(live|test)_[0-9a-z]{24}/i,
  /xox[abpr]-[a-z0-9-]+/i,
];

/** Whether it passes, and if not, whether only its value keeps it back. */
export function geminiVerdict(
  { enabled = false, allowed = [], blocked = [] }: GeminiPolicy,
  variables: Variables,
  name: string,
): 'pass' | 'redact' | 'redact by value' {
  const strict = (variables.get('GITHUB_SHA') ?? '') !== '' || variables.get('SURFACE') === 'Github';
  if (!enabled && !strict) return 'pass';
  const key = name.toUpperCase();
  const has = (names: readonly string[]) => names.some((one) => one.toUpperCase() === key);
  if (has(allowed)) return 'pass';
  if (has(blocked)) return 'redact';
  if (ALWAYS.has(key) || key.startsWith('GEMINI_CLI_')) return 'pass';
  if (NEVER.has(key) || strict || WORDS.test(key)) return 'redact';
  return VALUES.some((pattern) => pattern.test(variables.get(name) ?? '')) ? 'redact by value' : 'pass';
}
