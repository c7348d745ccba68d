import { wordsIn } from '../../host/bytes.ts';
import { presetPatterns } from '../presets/presets.ts';
import type { ProfileData } from '../profile/schema.ts';
import { AGENT_LOG_INS } from './log-ins.ts';

/** As a list, not as a base: so it adds to what it is combined with instead of taking its place. */
const DEFAULT: ProfileData = {
  meta: { name: 'default', description: 'What most programs need: the base os-common' },
  environment: { allow_vars: presetPatterns('os-common') },
};

const LOCKED: ProfileData = {
  meta: {
    name: 'locked',
    description: 'Code that is not trusted: nothing inherited, no network, a private home, the barrier or no start',
  },
  environment: { allow_vars: [] },
  filesystem: { preset: 'workspace' },
  network: { block: true },
  isolation: 'barrier',
};

const AGENT: ProfileData = {
  meta: {
    name: 'agent',
    description: 'A coding agent without any key: shell, terminal, git identity and language set-up',
  },
  environment: { base: 'agent' },
};

const CLAUDE_CODE: ProfileData = {
  meta: { name: 'claude-code', description: 'Claude Code, with the Anthropic key of this shell and no other' },
  extends: 'agent',
  environment: { allow_vars: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR'] },
  filesystem: { expose: AGENT_LOG_INS.claude },
};

const CODEX: ProfileData = {
  meta: { name: 'codex', description: 'Codex, with the OpenAI key of this shell and no other' },
  extends: 'agent',
  environment: { allow_vars: ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_BASE_URL', 'CODEX_HOME'] },
  filesystem: { expose: AGENT_LOG_INS.codex },
};

const GEMINI: ProfileData = {
  meta: { name: 'gemini', description: 'Gemini CLI, with the Google keys of this shell and no other' },
  extends: 'agent',
  environment: {
    allow_vars: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_APPLICATION_CREDENTIALS'],
  },
  filesystem: { expose: AGENT_LOG_INS.gemini },
};

/** Without GOPROXY, whose value may carry a password. */
const GO_DEV: ProfileData = {
  meta: { name: 'go-dev', description: 'Go work: module and build settings, no proxy credentials' },
  extends: 'default',
  environment: {
    allow_vars: [
      '@terminal',
      ...['GOPATH', 'GOROOT', 'GOBIN', 'GOCACHE', 'GOMODCACHE', 'GOOS', 'GOARCH', 'GOTOOLCHAIN', 'GOEXPERIMENT'],
      ...['GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB', 'CGO_ENABLED', 'CI'],
    ],
  },
};

/** Names instead of NPM_CONFIG_*, which would admit registry credentials. */
const NODE_DEV: ProfileData = {
  meta: {
    name: 'node-dev',
    description: 'Node.js work: version managers and package managers, no registry credentials',
  },
  extends: 'default',
  environment: {
    allow_vars: [
      '@terminal',
      ...['NODE_ENV', 'NVM_DIR', 'NVM_BIN', 'NVM_INC', 'VOLTA_HOME', 'FNM_DIR', 'FNM_MULTISHELL_PATH'],
      ...['PNPM_HOME', 'COREPACK_HOME', 'BUN_INSTALL', 'DENO_DIR', 'DENO_INSTALL'],
      ...['NPM_CONFIG_REGISTRY', 'NPM_CONFIG_CACHE', 'NPM_CONFIG_PREFIX', 'NPM_CONFIG_LOGLEVEL', 'CI'],
    ],
  },
};

/** Without PIP_INDEX_URL and its like: their values often carry a password. */
const PYTHON_DEV: ProfileData = {
  meta: { name: 'python-dev', description: 'Python work: environments and their managers, no index credentials' },
  extends: 'default',
  environment: {
    allow_vars: [
      '@terminal',
      ...['VIRTUAL_ENV', 'CONDA_DEFAULT_ENV', 'CONDA_PREFIX', 'CONDA_EXE', 'PYENV_ROOT', 'PYENV_VERSION'],
      ...['PIPX_HOME', 'PIPX_BIN_DIR', 'PIP_CACHE_DIR', 'UV_CACHE_DIR', 'UV_PYTHON', 'POETRY_HOME', 'POETRY_CACHE_DIR'],
      ...['PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'PYTHONUTF8', 'CI'],
    ],
  },
};

/** Without RUSTFLAGS, which can name a linker to run, and CARGO_*, which would admit registry tokens. */
const RUST_DEV: ProfileData = {
  meta: { name: 'rust-dev', description: 'Rust work: cargo and rustup, no registry tokens' },
  extends: 'default',
  environment: {
    allow_vars: [
      '@terminal',
      ...['CARGO_HOME', 'CARGO_TARGET_DIR', 'CARGO_TERM_COLOR', 'CARGO_INCREMENTAL', 'CARGO_NET_OFFLINE'],
      ...['RUSTUP_HOME', 'RUSTUP_TOOLCHAIN', 'RUST_BACKTRACE', 'RUST_LOG', 'CI'],
    ],
  },
};

/** Names instead of GITHUB_* and CI_*: those hold tokens, and files through which a step steers the next one. */
const CI: ProfileData = {
  meta: { name: 'ci', description: 'A build or test step in CI: what it runs for, never a token' },
  extends: 'default',
  environment: {
    guard: 'strip',
    allow_vars: [
      '@terminal',
      ...['CI', 'BUILD_NUMBER', 'BUILD_ID', 'JOB_NAME', 'BRANCH_NAME', 'GIT_COMMIT', 'GIT_BRANCH'],
      ...wordsIn('GITHUB_ACTIONS GITHUB_ACTOR GITHUB_BASE_REF GITHUB_EVENT_NAME GITHUB_HEAD_REF GITHUB_JOB GITHUB_REF'),
      ...wordsIn(
        'GITHUB_REF_NAME GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_RUN_NUMBER GITHUB_SHA GITHUB_WORKFLOW GITHUB_WORKSPACE',
      ),
      ...['RUNNER_ARCH', 'RUNNER_OS', 'RUNNER_TEMP'],
      ...wordsIn('GITLAB_CI CI_COMMIT_BRANCH CI_COMMIT_REF_NAME CI_COMMIT_SHA CI_JOB_ID CI_JOB_NAME CI_PIPELINE_ID'),
      ...wordsIn(
        'CI_PROJECT_DIR CI_PROJECT_PATH CIRCLECI CIRCLE_BRANCH CIRCLE_SHA1 BUILDKITE BUILDKITE_BRANCH BUILDKITE_COMMIT',
      ),
    ],
  },
};

export const BUILT_IN_PROFILES: Readonly<Record<string, ProfileData>> = {
  default: DEFAULT,
  agent: AGENT,
  'claude-code': CLAUDE_CODE,
  codex: CODEX,
  gemini: GEMINI,
  'node-dev': NODE_DEV,
  'python-dev': PYTHON_DEV,
  'rust-dev': RUST_DEV,
  'go-dev': GO_DEV,
  ci: CI,
  locked: LOCKED,
};
