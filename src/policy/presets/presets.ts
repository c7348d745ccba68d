import { type Bytes, bytesOfText, showText, wordsIn } from '../../host/bytes.ts';
import { CONTROL_VARIABLES } from '../../host/control.ts';
import { CordonError } from '../../host/errors.ts';
import { isUsableName } from '../../host/parent-env.ts';
import { nearest } from '../nearest.ts';
import { Pattern } from '../pattern.ts';
import type { AllowRule, Origin } from '../policy.ts';
import { NEVER, ONLY_BY_NAME } from './injection.ts';

/** Presets are plain data: patterns by name. `all` is every name, `none` is no name. */
const PRESETS = {
  all: ['*'],
  none: [],
  'os-common': wordsIn('HOME PATH XDG_* NO_COLOR FORCE_COLOR TERM COLORTERM LANG LC_* USER LOGNAME TMPDIR SHELL TZ'),
  /** What Codex calls core on Linux and macOS; it takes these names in any case. */
  core: ['PATH', 'SHELL', 'TMPDIR', 'TEMP', 'TMP', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'USER'],
  agent: wordsIn(`
      PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE LC_MESSAGES TERM COLORTERM COLUMNS LINES TMPDIR TMP TEMP
      XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME
      GIT_COMMITTER_EMAIL SSH_AUTH_SOCK GIT_SSH_COMMAND GIT_SSH PYTHONPATH VIRTUAL_ENV CONDA_DEFAULT_ENV CONDA_PREFIX
      NVM_DIR NVM_BIN NVM_PATH NODE_PATH
  `),
  terminal: wordsIn(`
      EDITOR VISUAL PAGER SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
      GIT_SSL_CAINFO GIT_SSL_CAPATH PIP_CERT AWS_CA_BUNDLE CARGO_HTTP_CAINFO DENO_CERT NIX_SSL_CERT_FILE
  `),
  proxy: ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
} as const satisfies Record<string, readonly string[]>;

type PresetName = keyof typeof PRESETS;
export type BaseName = Exclude<PresetName, 'proxy' | 'terminal'>;

export const BASE_NAMES: readonly BaseName[] = ['all', 'none', 'os-common', 'core', 'agent'];

/** Presets whose names count in upper and lower case alike. */
export const ANY_CASE: readonly PresetName[] = ['core'];

export function presetPatterns(name: PresetName): readonly string[] {
  return PRESETS[name];
}

/** Sets of names that an allow list may include as `@NAME`. */
const INCLUDABLE = ['proxy', 'terminal'] as const;

type Includable = (typeof INCLUDABLE)[number];

export const isPresetEntry = (entry: string) => entry.startsWith('@');

/**
 * The rules of `@proxy`: addresses, so a value with a credential in it is refused; and of `@terminal`: what people set to feel at
 * home in one, and where their certificates lie.
 */
export function presetRules(entry: string, origin: Origin): AllowRule[] {
  const name = entry.slice(1);
  if (!INCLUDABLE.includes(name as Includable)) throw unknownPreset(name, origin);
  return presetPatterns(name as Includable).map((pattern) => ({
    pattern: Pattern.parse(pattern),
    origin: `${origin} (${entry})`,
    ...(name === 'proxy' ? { plain: true } : {}),
  }));
}

function unknownPreset(name: string, where: Origin): CordonError {
  const near = nearest(name, INCLUDABLE);
  return new CordonError('policy', `there is no preset '@${showText(name)}' to allow`, {
    where,
    hint: near === undefined ? `known: ${INCLUDABLE.map((one) => `@${one}`).join(', ')}` : `did you mean @${near}?`,
  });
}

/** Whether a pattern asks for every name, or as good as: nothing in it tells one variable from another. */
export function asksForEverything({ needle, anyCase }: Pattern): boolean {
  return !/[A-Za-z0-9]/.test(anyCase === undefined ? needle : anyCase.replace(/\[!?\]?[^\]]*\]/g, ''));
}

export interface ListedPattern {
  readonly pattern: Pattern;
  readonly group: string;
}

const listed = (groups: typeof NEVER): readonly ListedPattern[] =>
  groups.flatMap(({ group, names }) => names.map((name) => ({ pattern: Pattern.builtIn(name), group })));

export const NEVER_PATTERNS: readonly ListedPattern[] = listed(NEVER);
export const ONLY_BY_NAME_PATTERNS: readonly ListedPattern[] = listed(ONLY_BY_NAME);

/** Whether the name is on the code-injection list as it is written. */
export function isNeverName(name: Bytes): boolean {
  return NEVER_EXACTLY.has(name) || NEVER_ALIKE.some(({ pattern }) => pattern.matches(name));
}

/** Every variable of a launch is looked up, and nearly all of the list are plain names. */
const NEVER_EXACTLY = new Set(
  NEVER_PATTERNS.filter(({ pattern }) => pattern.exact).map(({ pattern }) => pattern.source),
);
const NEVER_ALIKE = NEVER_PATTERNS.filter(({ pattern }) => !pattern.exact);

const REFUSED_TARGETS = ['PATH', 'HOME', 'SHELL'].map(bytesOfText);

/** Why no child ever has a variable of this name, whoever asks; completes "NAME is refused: …". */
export function nameProblem(name: Bytes): string | undefined {
  if (!isUsableName(name)) return 'it is not the name of a variable';
  if ((CONTROL_VARIABLES as readonly string[]).includes(name)) return "it is one of Cordon's own variables";
  return isNeverName(name) ? 'it is on the code-injection list' : undefined;
}

/** Why no credential is injected under this name, whatever its case: some programs and systems don't tell cases apart. */
export function targetProblem(name: Bytes): string | undefined {
  const upper = name.toUpperCase() as Bytes;
  if (REFUSED_TARGETS.includes(upper)) return 'it decides which programs run';
  return nameProblem(name) ?? nameProblem(upper);
}
