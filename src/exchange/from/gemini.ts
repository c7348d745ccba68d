import { bytesOfText, wordsIn } from '../../host/bytes.ts';
import type { Pattern } from '../../policy/pattern.ts';
import type { DenyRule } from '../../policy/policy.ts';
import { type DenyEntry, type Draft, quoted } from '../draft.ts';
import { at, entriesAt, leavesOf } from '../json.ts';
import { GEMINI_ASIDE } from './asides.ts';
import { asides, type Handlers, type Importer, type Input } from './importer.ts';

/** Source: Gemini CLI's services/environmentSanitization.ts and its page on configuration. */
export const gemini: Importer = {
  format: 'gemini',
  title: 'Gemini CLI',
  syntax: 'JSON',
  recognises: ({ data, path }) =>
    at(data, 'security.environmentVariableRedaction') !== undefined ||
    at(data, 'tools.sandbox') !== undefined ||
    /(^|\/)(\.gemini|gemini-cli)\/[^/]*\.json$/.test(path),
  read: (input, draft) => {
    readRedaction(input, draft);
    readOthers(input, draft);
  },
};

const REDACTION = 'security.environmentVariableRedaction';

/** Never redacted, whatever else says but `blocked`. */
const ALWAYS = wordsIn(`
  PATH SYSTEMROOT COMSPEC PATHEXT WINDIR TEMP TMP USERPROFILE SYSTEMDRIVE HOME LANG SHELL TMPDIR USER LOGNAME
  ADDITIONAL_CONTEXT AVAILABLE_LABELS BRANCH_NAME DESCRIPTION EVENT_NAME GITHUB_ENV IS_PULL_REQUEST ISSUES_TO_TRIAGE
  ISSUE_BODY ISSUE_NUMBER ISSUE_TITLE PULL_REQUEST_NUMBER REPOSITORY TITLE TRIGGERING_ACTOR GEMINI_CLI_*
`);

const NEVER = [
  ...['CLIENT_ID', 'DB_URI', 'CONNECTION_STRING', 'AWS_DEFAULT_REGION', 'AZURE_CLIENT_ID', 'AZURE_TENANT_ID'],
  ...['SLACK_WEBHOOK_URL', 'TWILIO_ACCOUNT_SID', 'DATABASE_URL', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_ACCOUNT'],
  'FIREBASE_PROJECT_ID',
];

const WORDS = ['TOKEN', 'SECRET', 'PASSWORD', 'PASSWD', 'KEY', 'AUTH', 'CREDENTIAL', 'CREDS', 'PRIVATE', 'CERT'];

/**
 * Gemini's order: `allowed` passes, `blocked` doesn't, then what it always passes, what it never passes, in GitHub Actions nothing else, then
 * words in names, then forms of values. Names count in any case.
 */
function readRedaction({ data, env }: Input, draft: Draft) {
  const settings = at(data, REDACTION);
  const strict = isSet(env.get(bytesOfText('GITHUB_SHA'))) || env.get(bytesOfText('SURFACE')) === 'Github';
  const enabled = at(settings, 'enabled') === true;
  if (!['boolean', 'undefined'].includes(typeof at(settings, 'enabled'))) draft.unknown(`${REDACTION}.enabled`);
  for (const [key] of entriesAt(settings))
    if (!['allowed', 'blocked', 'enabled'].includes(key)) draft.unknown(`${REDACTION}.${key}`);
  if (!enabled && !strict) {
    draft.profile.environment.base = 'all';
    for (const [key] of entriesAt(settings)) draft.row(`${REDACTION}.${key}`, 'same', 'redaction is off: all pass');
    return;
  }
  const allowed = namesAt(settings, 'allowed', draft);
  const blocked = namesAt(settings, 'blocked', draft).filter((name) => !hasName(allowed, name));
  if (strict) readStrict(allowed, blocked, draft);
  else readOrdinary(allowed, blocked, draft);
  draft.row(`${REDACTION}.enabled`, 'same', strict ? 'as in GitHub Actions, where this is' : 'deny_vars, in any case');
}

const isSet = (value: string | undefined) => value !== undefined && value !== '';
const hasName = (names: readonly string[], name: string) =>
  names.some((one) => one.toUpperCase() === name.toUpperCase());

/** What could be a name; `[`, `*` and `?` mean nothing special here, so such a name is written as a class. */
function namesAt(settings: Parameters<typeof at>[0], key: 'allowed' | 'blocked', draft: Draft): string[] {
  return draft.texts(`${REDACTION}.${key}`, at(settings, key)).filter((name) => {
    if (name === '' || /[=\0]/.test(name)) return false;
    if (/\s/.test(name)) {
      const fate = key === 'allowed' ? 'narrower' : 'wider';
      draft.row(`${REDACTION}.${key}(${quoted(name)})`, fate, 'a name with white space cannot be said');
      return false;
    }
    return true;
  });
}

/** What a list of denied patterns comes to in Gemini's words: the other way round. */
export function geminiLists(deny: readonly DenyRule[]): {
  readonly enabled: boolean;
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
  readonly others: readonly Pattern[];
} {
  const textOf = (pattern: Pattern) => (pattern.anyCase ?? pattern.source).replace(/\[([[*?])\]/g, '$1');
  const isWord = ({ pattern }: DenyRule) => WORDS.some((word) => pattern.anyCase === `*${word}*`);
  const isName = ({ pattern, except }: DenyRule) =>
    except.length === 0 && !/[*?]|\[[^[*?]/.test((pattern.anyCase ?? pattern.source).replace(/\[[[*?]\]/g, ''));
  const words = deny.filter(isWord);
  const exceptions = words[0]?.except.map(textOf) ?? [];
  return {
    enabled: words.length === WORDS.length,
    allowed: exceptions.filter((name) => !ALWAYS.includes(name)),
    blocked: deny
      .filter((rule) => isName(rule) && !NEVER.includes(textOf(rule.pattern)))
      .map(({ pattern }) => textOf(pattern)),
    others: deny.filter((rule) => !isWord(rule) && !isName(rule)).map(({ pattern }) => pattern),
  };
}

const escaped = (name: string) => name.replace(/[[*?]/g, '[$&]');
const anyCase = (pattern: string, except: readonly string[] = []): DenyEntry => ({
  pattern,
  ...(except.length === 0 ? {} : { except: [...except] }),
  ignore_case: true,
});

function readStrict(allowed: readonly string[], blocked: readonly string[], draft: Draft) {
  draft.profile.environment.base = 'none';
  const always = ALWAYS.filter((name) => !hasName(blocked, name));
  for (const pattern of [...allowed.map(escaped), ...always]) draft.allowGlob({ pattern, ignore_case: true });
  for (const name of blocked) draft.deny(anyCase(escaped(name)));
  rowsOfNames(allowed, blocked, draft);
}

function readOrdinary(allowed: readonly string[], blocked: readonly string[], draft: Draft) {
  const { environment } = draft.profile;
  const passing = [...allowed.map(escaped), ...ALWAYS];
  environment.base = 'all';
  environment.guard = 'strip';
  for (const name of blocked) draft.deny(anyCase(escaped(name)));
  for (const name of NEVER) if (!hasName(allowed, name)) draft.deny(anyCase(name));
  for (const word of WORDS) draft.deny(anyCase(`*${word}*`, passing));
  rowsOfNames(allowed, blocked, draft);
  draft.row('(names)', 'narrower', "Cordon's guard knows more words that names of credentials have");
  draft.row(
    '(values)',
    'wider',
    "Cordon's guard strips credentials by their forms; certificates, and a few forms that are no credential, pass",
  );
}

/** An allowed name gets past the guard on names, unless its value is a credential. */
function rowsOfNames(allowed: readonly string[], blocked: readonly string[], draft: Draft) {
  const { environment } = draft.profile;
  for (const name of allowed) {
    const exact = /^[^*?[\]]+$/.test(name);
    if (exact && environment.guard !== undefined)
      environment.guard_exceptions = { ...environment.guard_exceptions, [name]: "allowed in Gemini CLI's settings" };
    draft.row(`${REDACTION}.allowed(${quoted(name)})`, 'narrower', 'passes, unless its value is a credential');
  }
  for (const name of blocked) draft.row(`${REDACTION}.blocked(${quoted(name)})`, 'same', 'deny_vars, in any case');
}

function readOthers({ data }: Input, draft: Draft) {
  for (const key of leavesOf(data ?? null)) {
    const handler = Object.hasOwn(OTHERS, key) ? OTHERS[key] : undefined;
    if (key.startsWith(REDACTION)) continue;
    if (handler !== undefined) handler(key, at(data, key) ?? null, draft);
    else if (GEMINI_ASIDE.some((prefix) => key === prefix || key.startsWith(`${prefix}.`))) draft.aside(key);
    else draft.unknown(key);
  }
}

const OTHERS: Handlers = {
  'tools.sandbox': (key, value, draft) => {
    if (value !== false) draft.profile.isolation = 'barrier';
    draft.row(key, value === false ? 'same' : 'narrower', value === false ? '' : 'the barrier, or nothing starts');
  },
  'security.toolSandboxing': (key, value, draft) => {
    if (value === true) draft.profile.isolation = 'barrier';
    draft.row(key, 'same', value === true ? 'the barrier, or nothing starts' : '');
  },
  'tools.sandboxNetworkAccess': (key, value, draft) => {
    if (value === false) draft.profile.network.block = true;
    draft.row(key, 'same', value === false ? 'network off' : 'network on');
  },
  'tools.sandboxAllowedPaths': (key, value, draft) => readPaths(key, draft.texts(key, value), draft),
  ...asides(
    ['tools.core', 'tools.exclude', 'mcp.allowed', 'mcp.excluded'],
    "about the agent's own tools, which Gemini CLI still keeps to",
  ),
};

function readPaths(key: string, paths: readonly string[], draft: Draft) {
  for (const path of paths) {
    const problem = draft.placeProblem(path);
    if (problem === undefined) draft.place('write', path);
    draft.row(
      `${key}(${quoted(path)})`,
      problem === undefined ? 'same' : 'narrower',
      problem === undefined ? 'filesystem.write' : `left out: ${quoted(problem)}`,
    );
  }
}
