/** Presets are plain data: patterns by name. `all` is every name, `none` is no name. */
const PRESETS = {
  all: ['*'],
  none: [],
  'os-common': [
    'HOME',
    'PATH',
    'XDG_*',
    'NO_COLOR',
    'FORCE_COLOR',
    'TERM',
    'COLORTERM',
    'LANG',
    'LC_*',
    'USER',
    'LOGNAME',
    'TMPDIR',
    'SHELL',
    'TZ',
  ],
  /** What Codex calls core on Linux and macOS; it takes these names in any case. */
  core: ['PATH', 'SHELL', 'TMPDIR', 'TEMP', 'TMP', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'USER'],
  agent: [
    ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL'],
    ...['LANG', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES'],
    ...['TERM', 'COLORTERM', 'COLUMNS', 'LINES'],
    ...['TMPDIR', 'TMP', 'TEMP'],
    ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'],
    ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'],
    ...['SSH_AUTH_SOCK', 'GIT_SSH_COMMAND', 'GIT_SSH'],
    ...['PYTHONPATH', 'VIRTUAL_ENV', 'CONDA_DEFAULT_ENV', 'CONDA_PREFIX'],
    ...['NVM_DIR', 'NVM_BIN', 'NVM_PATH', 'NODE_PATH'],
  ],
  terminal: [
    ...['EDITOR', 'VISUAL', 'PAGER'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
    ...[
      'GIT_SSL_CAINFO',
      'GIT_SSL_CAPATH',
      'PIP_CERT',
      'AWS_CA_BUNDLE',
      'CARGO_HTTP_CAINFO',
      'DENO_CERT',
      'NIX_SSL_CERT_FILE',
    ],
  ],
  proxy: ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
} as const satisfies Record<string, readonly string[]>;

export type PresetName = keyof typeof PRESETS;
export type BaseName = Exclude<PresetName, 'proxy' | 'terminal'>;

export const BASE_NAMES: readonly BaseName[] = ['all', 'none', 'os-common', 'core', 'agent'];

/** Presets whose names count in upper and lower case alike. */
export const ANY_CASE: readonly PresetName[] = ['core'];

export function presetPatterns(name: PresetName): readonly string[] {
  return PRESETS[name];
}
