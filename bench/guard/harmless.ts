import { ALNUM, BASE64, DIGITS, type Dice, HEX, LOWER, UPPER } from './random.ts';
import type { Sample } from './secrets.ts';

const WORDS = [
  'app',
  'core',
  'build',
  'main',
  'release',
  'service',
  'web',
  'worker',
  'data',
  'cache',
  'report',
  'billing',
  'author',
  'tokenizer',
  'keyboard',
  'passenger',
  'compass',
];
const word = (d: Dice) => d.pick(WORDS);
const words = (d: Dice, n: number, by = '-') => Array.from({ length: n }, () => word(d)).join(by);
const version = (d: Dice) =>
  `${d.int(0, 30)}.${d.int(0, 40)}.${d.int(0, 20)}${d.pick(['', '-rc.1', `+build.${d.int(1, 900)}`, '-beta'])}`;
const path = (d: Dice) =>
  `/${d.pick(['usr', 'opt', 'home/bob', 'var/lib', 'nix/store', 'workspace', 'tmp'])}/${words(d, d.int(1, 4), '/')}`;
const host = (d: Dice) => `${words(d, 2)}.${d.pick(['example.com', 'internal', 'svc.cluster.local', 'io'])}`;
const stamp = (d: Dice) => new Date(d.int(1.4e9, 1.9e9) * 1000).toISOString();
const email = (d: Dice) => `${word(d)}.${word(d)}@${host(d)}`;
const sha = (d: Dice) => d.text(HEX, 40);
const image = (d: Dice) => `${d.pick(['', 'ghcr.io/', 'registry.example.com:5000/'])}${words(d, 2, '/')}:${version(d)}`;
const nixHash = (d: Dice) => d.text('0123456789abcdfghijklmnpqrsvwxyz', 32);

type Make = (dice: Dice) => string;
/** Each entry: names and what they hold. Look-alikes of every secret kind are here on purpose. */
const KINDS: readonly (readonly [kind: string, names: readonly string[], make: Make])[] = [
  [
    'path',
    [
      'HOME',
      'PWD',
      'OLDPWD',
      'TMPDIR',
      'GITHUB_WORKSPACE',
      'CI_PROJECT_DIR',
      'WORKSPACE',
      'JAVA_HOME',
      'GOPATH',
      'VIRTUAL_ENV',
    ],
    path,
  ],
  ['windows path', ['APPDATA', 'ProgramFiles', 'SystemRoot'], (d) => `C:\\${words(d, 3, '\\')}`],
  [
    'search path',
    ['PATH', 'MANPATH', 'XDG_DATA_DIRS', 'LD_LIBRARY_PATH'],
    (d) => Array.from({ length: d.int(3, 12) }, () => path(d)).join(':'),
  ],
  [
    'nix path',
    ['NIX_PATH', 'PKG_CONFIG_PATH', 'buildInputs'],
    (d) => Array.from({ length: 3 }, () => `/nix/store/${nixHash(d)}-${words(d, 2)}-${version(d)}`).join(':'),
  ],
  ['socket', ['SSH_AUTH_SOCK', 'SESSION_MANAGER'], (d) => `/tmp/ssh-${d.text(ALNUM, 12)}/agent.${d.int(100, 99999)}`],
  [
    'x authority',
    ['XAUTHORITY', 'ICEAUTHORITY'],
    (d) => `/run/user/1000/.mutter-Xwaylandauth.${d.text(UPPER + DIGITS, 6)}`,
  ],
  ['dbus', ['DBUS_SESSION_BUS_ADDRESS'], (d) => `unix:path=/run/user/1000/bus,guid=${d.text(HEX, 32)}`],
  [
    'uuid',
    ['WT_SESSION', 'CORRELATION_ID', 'TERM_SESSION_ID', 'REQUEST_ID', 'API_ID', 'INVOCATION_ID', 'WSL_DISTRO'],
    (d) => d.uuid(),
  ],
  [
    'git hash',
    ['GITHUB_SHA', 'CI_COMMIT_SHA', 'GIT_COMMIT', 'GIT_PREVIOUS_COMMIT', 'VERCEL_GIT_COMMIT_SHA', 'API_COMMIT'],
    sha,
  ],
  ['short hash', ['CI_COMMIT_SHORT_SHA', 'REVISION'], (d) => d.text(HEX, 8)],
  ['sha256', ['SHA256', 'IMAGE_DIGEST', 'NIX_HASH', 'CACHE_CHECKSUM', 'CI_BUILD_HASH'], (d) => d.text(HEX, 64)],
  ['md5', ['MD5SUM', 'ETAG', 'LAYOUT_CACHE'], (d) => d.text(HEX, 32)],
  [
    'prefixed digest',
    ['IMAGE_DIGEST', 'LOCKFILE', 'INTEGRITY'],
    (d) => d.pick([`sha256:${d.text(HEX, 64)}`, `sha512-${d.text(BASE64, 86)}==`, `sha256-${d.text(BASE64, 43)}=`]),
  ],
  [
    'locale',
    ['LANG', 'LC_ALL', 'LC_CTYPE', 'LANGUAGE'],
    (d) =>
      d.pick(['en_US.UTF-8', 'C', 'C.UTF-8', 'POSIX', 'de_DE@euro', 'sr_RS.UTF-8@latin', 'en_GB:en', 'ca_ES@valencia']),
  ],
  [
    'terminal',
    [
      'TERM',
      'COLORTERM',
      'TERM_PROGRAM',
      'TERM_PROGRAM_VERSION',
      'COLUMNS',
      'SHLVL',
      'VTE_VERSION',
      'WINDOWID',
      'LESS',
      'PAGER',
    ],
    (d) => d.pick(['xterm-256color', 'truecolor', 'tmux-256color', 'vscode', `${d.int(1, 9000)}`, '-FRX', 'less -R']),
  ],
  [
    'ls colors',
    ['LS_COLORS', 'GREP_COLORS'],
    (d) =>
      Array.from({ length: d.int(20, 90) }, () => `*.${d.text(LOWER, 3)}=0${d.int(0, 1)};${d.int(30, 38)}`).join(':'),
  ],
  [
    'prompt',
    ['PS1', 'PROMPT', 'SUDO_PROMPT'],
    (d) => d.pick(['\\u@\\h:\\w\\$ ', '[sudo] password for %p: ', '%n@%m %~ %# ', '\\[\\e[32m\\]\\u@\\h\\[\\e[0m\\] ']),
  ],
  [
    'github actions',
    [
      'GITHUB_REF',
      'GITHUB_REF_NAME',
      'GITHUB_WORKFLOW_REF',
      'GITHUB_REPOSITORY',
      'GITHUB_ACTOR',
      'GITHUB_EVENT_NAME',
      'RUNNER_NAME',
    ],
    (d) =>
      d.pick([
        `refs/heads/${words(d, 2, '/')}`,
        `refs/pull/${d.int(1, 9999)}/merge`,
        `acme/${words(d, 2)}/.github/workflows/ci.yml@refs/heads/main`,
        'pull_request',
        `acme/${words(d, 2)}`,
      ]),
  ],
  [
    'github urls',
    ['GITHUB_SERVER_URL', 'GITHUB_API_URL', 'GITHUB_GRAPHQL_URL'],
    (d) => d.pick(['https://github.com', 'https://api.github.com', `https://ghe.${host(d)}/api/v3`]),
  ],
  [
    'gitlab ci',
    [
      'CI_PIPELINE_URL',
      'CI_JOB_URL',
      'CI_REGISTRY_IMAGE',
      'CI_COMMIT_REF_SLUG',
      'CI_RUNNER_TAGS',
      'CI_COMMIT_MESSAGE',
      'CI_PROJECT_PATH_SLUG',
    ],
    (d) =>
      d.pick([
        `https://gitlab.com/acme/${words(d, 2)}/-/jobs/${d.int(1e9, 9e9)}`,
        `registry.gitlab.com/acme/${word(d)}`,
        words(d, 4),
        '["docker", "linux"]',
        `fix: ${words(d, 5, ' ')} (#${d.int(1, 999)})`,
      ]),
  ],
  [
    'commit author',
    ['CI_COMMIT_AUTHOR', 'GIT_AUTHOR_NAME', 'GIT_COMMITTER_NAME', 'GIT_AUTHOR_EMAIL'],
    (d) => `${word(d)} ${word(d)} <${email(d)}>`,
  ],
  [
    'jenkins',
    ['BUILD_TAG', 'BUILD_URL', 'JOB_NAME', 'EXECUTOR_NUMBER', 'NODE_LABELS', 'HUDSON_SERVER_COOKI'],
    (d) =>
      d.pick([
        `jenkins-${words(d, 2)}-${d.int(1, 4000)}`,
        `https://jenkins.${host(d)}/job/${word(d)}/${d.int(1, 999)}/`,
        words(d, 3, ' '),
      ]),
  ],
  [
    'version',
    [
      'NODE_VERSION',
      'PYTHON_VERSION',
      'npm_package_version',
      'RELEASE',
      'API_VERSION',
      'GOVERSION',
      'PYTHON_PIP_VERSION',
    ],
    version,
  ],
  [
    'api date',
    ['API_VERSION', 'AZURE_API_VERSION', 'X_API_DATE'],
    (d) => `${d.int(2019, 2026)}-0${d.int(1, 9)}-1${d.int(0, 9)}${d.pick(['', '-preview'])}`,
  ],
  [
    'url',
    [
      'HOMEPAGE',
      'API_URL',
      'API_BASE',
      'NPM_CONFIG_REGISTRY',
      'OPENAI_BASE_URL',
      'BROKER',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'WEBHOOK_HOST',
    ],
    (d) =>
      `${d.pick(['http', 'https', 'grpc', 'postgres', 'redis', 'amqp', 's3'])}://${host(d)}:${d.int(80, 60000)}/${words(d, 2, '/')}?page=${d.int(1, 9)}&sort=asc`,
  ],
  [
    'url with @ in its path',
    ['PACKAGE_URL', 'DOCS', 'NPM_CONFIG_REGISTRY'],
    (d) =>
      d.pick([
        `https://unpkg.com/react@${version(d)}/umd/react.js`,
        `http://registry.local:4873/@scope/${word(d)}`,
        `https://medium.com/@${word(d)}/${words(d, 4)}`,
        `https://${host(d)}/unsubscribe?email=${email(d)}`,
        `https://[::1]:8080/u/${email(d)}`,
      ]),
  ],
  [
    'ssh remote',
    ['REMOTE', 'GIT_URL', 'DOCKER_HOST', 'GIT_REMOTE_URL', 'npm_package_repository_url'],
    (d) =>
      d.pick([
        `git@github.com:acme/${word(d)}.git`,
        `ssh://git@${host(d)}:22/acme/${word(d)}.git`,
        `git+ssh://git@github.com/acme/${word(d)}.git`,
        `ssh://${word(d)}@${host(d)}`,
        `rsync://${word(d)}@${host(d)}/x`,
        `git+https://github.com/acme/${word(d)}.git`,
      ]),
  ],
  [
    'proxy',
    ['HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NO_PROXY', 'NPM_CONFIG_PROXY'],
    (d) =>
      d.pick([
        `http://proxy.${host(d)}:3128`,
        `socks5h://127.0.0.1:${d.int(1024, 9999)}`,
        `localhost,127.0.0.1,.${host(d)},10.0.0.0/8`,
        `proxy.${host(d)}:8080`,
      ]),
  ],
  [
    'service list',
    ['KAFKA_BROKERS', 'ETCD_ENDPOINTS', 'MONGO_HOSTS'],
    (d) => Array.from({ length: 3 }, () => `${host(d)}:${d.int(1024, 60000)}`).join(','),
  ],
  [
    'kubernetes',
    ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_PORT', 'HOSTNAME', 'POD_NAME', 'REDIS_PORT_6379_TCP'],
    (d) =>
      d.pick([
        `tcp://10.0.${d.int(0, 255)}.1:443`,
        `${words(d, 2)}-${d.text('bcdfghjklmnpqrstvwxz2456789', 10)}-${d.text('bcdfghjklmnpqrstvwxz2456789', 5)}`,
        `10.0.${d.int(0, 255)}.${d.int(1, 254)}`,
      ]),
  ],
  [
    'cloud names',
    [
      'AWS_REGION',
      'AWS_DEFAULT_OUTPUT',
      'AWS_PROFILE',
      'AWS_ROLE_ARN',
      'GOOGLE_CLOUD_PROJECT',
      'AZURE_TENANT_ID',
      'SNS_TOPIC',
    ],
    (d) =>
      d.pick([
        'us-east-1',
        'json',
        words(d, 2),
        `arn:aws:iam::${d.text(DIGITS, 12)}:role/${words(d, 2)}`,
        `projects/${word(d)}-${d.int(1000, 99999)}`,
        d.uuid(),
        `arn:aws:sns:eu-west-1:${d.text(DIGITS, 12)}:${words(d, 2)}`,
      ]),
  ],
  [
    'aws resource ids',
    ['SUBNET', 'SECURITY_GROUP', 'AMI', 'VPC'],
    (d) => `${d.pick(['subnet', 'sg', 'ami', 'vpc', 'i'])}-0${d.text(HEX, 16)}`,
  ],
  [
    'bucket',
    ['BUCKET', 'CACHE_URI', 'ARTIFACTS'],
    (d) => d.pick([`s3://${words(d, 3)}/${words(d, 2, '/')}`, `gs://${words(d, 2)}`, `arn:aws:s3:::${words(d, 3)}`]),
  ],
  ['image ref', ['IMAGE', 'BASE_IMAGE', 'DOCKER_IMAGE'], image],
  [
    'image ref with digest',
    ['IMAGE', 'BASE_IMAGE', 'RUNNER_IMAGE'],
    (d) => `${d.pick(['', 'docker://'])}${image(d)}@sha256:${d.text(HEX, 64)}`,
  ],
  [
    'npm alias',
    ['OVERRIDE', 'DEPENDENCY', 'npm_package_dependencies_x'],
    (d) =>
      d.pick([
        `npm:${word(d)}@${version(d)}`,
        `npm:@scope/${word(d)}@^${version(d)}`,
        `${word(d)}@workspace:*`,
        `@scope/${word(d)}@${version(d)}`,
      ]),
  ],
  [
    'npm config',
    [
      'NPM_CONFIG_LOGLEVEL',
      'npm_config_cache',
      'npm_config_user_agent',
      'npm_config_node_gyp',
      'npm_lifecycle_event',
      'npm_config_engine_strict',
      'npm_config_prefix',
    ],
    (d) =>
      d.pick(['warn', path(d), `npm/${version(d)} node/v20.1.0 linux x64 workspaces/false`, 'true', 'postinstall']),
  ],
  [
    'variable names',
    ['PASS_THROUGH', 'REQUIRED_VARS', 'EXPORTS', 'ENV_LIST'],
    (d) =>
      d.pick([
        'npm_config_registry,npm_config_cache,npm_config_prefix',
        'GITHUB_TOKEN AWS_SECRET_ACCESS_KEY DATABASE_URL',
        'ANTHROPIC_API_KEY',
        `github_pat_policy_${words(d, 3, '_')}`,
      ]),
  ],
  [
    'feature flags',
    ['FEATURES', 'FLAGS', 'DEBUG', 'NODE_ENV', 'CI', 'FORCE_COLOR', 'RUST_BACKTRACE', 'BYPASS_CACHE'],
    (d) =>
      d.pick([
        'true',
        '0',
        'on',
        'production',
        `${word(d)}:*`,
        `${words(d, 3, ',')}`,
        `new_${word(d)}=on;old_${word(d)}=off`,
        'BYPASS=1,COMPASS=2',
      ]),
  ],
  [
    'json config',
    ['CONFIG', 'OPTIONS', 'MATRIX', 'VITE_SETTINGS', 'LOG_CONFIG'],
    (d) =>
      JSON.stringify(
        d.pick<unknown>([
          { maxTokens: d.int(100, 9000), tokenizer: word(d) },
          { keyboard: 'us', authors: [word(d)], retries: d.int(1, 9) },
          { password_policy: 'strict', requirePassword: true, passwordMinLength: 12 },
          { secretName: null, secret: false, token: null },
          { os: ['ubuntu-latest'], node: [18, 20] },
          { id: d.uuid(), sha: sha(d), at: stamp(d) },
        ]),
      ),
  ],
  [
    'templates',
    ['DSN_TEMPLATE', 'COMMAND', 'CONN_FORMAT'],
    (d) =>
      d.pick([
        `host=${host(d)} password=$DB_PASSWORD user=app`,
        'Server=x;Password={{ password }};',
        '{"password": "***"}',
        'password=<redacted>',
        `--password-file=${path(d)}`,
        `secret: \${SECRET_NAME}`,
      ]),
  ],
  [
    'workflow permissions',
    ['PERMISSIONS', 'SCOPES'],
    (d) =>
      d.pick([
        'contents: read\nid-token: write',
        'read:user,write:packages',
        'openid profile email',
        'token: write-all',
      ]),
  ],
  [
    'email',
    ['EMAIL', 'GIT_AUTHOR_EMAIL', 'MAINTAINER', 'DEBEMAIL', 'MAILTO'],
    (d) => d.pick([email(d), `mailto:${email(d)}`, `${email(d)},${email(d)}`]),
  ],
  [
    'timestamp',
    ['BUILD_DATE', 'SOURCE_DATE_EPOCH', 'CI_PIPELINE_CREATED_AT', 'STARTED'],
    (d) => d.pick([stamp(d), `${d.int(1e9, 2e9)}`, `${d.int(1e12, 2e12)}`, 'Tue Mar  4 10:12:01 UTC 2025']),
  ],
  [
    'number',
    ['GITHUB_RUN_ID', 'CI_JOB_ID', 'UID', 'PORT', 'MAX_CONNECTIONS', 'ACCOUNT_ID', 'DISCORD_CHANNEL'],
    (d) => d.text(DIGITS, d.int(1, 19)),
  ],
  [
    'picture',
    ['ICON', 'LOGO_DATA', 'AVATAR', 'FAVICON'],
    (d) => `${d.pick(['', 'data:image/png;base64,'])}iVBORw0KGgoAAAANSUhEUgAA${d.text(BASE64, d.int(100, 900))}==`,
  ],
  [
    'base64 text',
    ['MOTD', 'USER_DATA', 'GREETING', 'CONFIG_B64'],
    (d) => Buffer.from(`#!/bin/sh\necho ${words(d, 6, ' ')}\n`).toString('base64'),
  ],
  [
    'base64 json',
    ['STATE', 'CURSOR', 'DEVCONTAINER'],
    (d) => Buffer.from(JSON.stringify({ page: d.int(1, 99), after: d.uuid(), v: version(d) })).toString('base64'),
  ],
  [
    'random, plain name',
    ['RUNNER_TRACKING_ID', 'BUILD_NONCE_ID', 'TRACEPARENT', 'BAGGAGE', 'CACHE_VERSION'],
    (d) =>
      d.pick([`github_${d.uuid()}`, `00-${d.text(HEX, 32)}-${d.text(HEX, 16)}-01`, `${d.text(LOWER + DIGITS, 12)}`]),
  ],
  [
    'certificate',
    ['CA_CERT', 'SSL_CERT', 'NODE_CA'],
    (d) => `-----BEGIN CERTIFICATE-----\n${d.text(BASE64, 64)}\n${d.text(BASE64, 64)}\n-----END CERTIFICATE-----`,
  ],
  [
    'public material',
    ['SIGNERS', 'DEPLOY_PUB', 'RECIPIENTS', 'STRIPE_PUBLISHABLE', 'MAPBOX_PUBLIC'],
    (d) =>
      d.pick([
        `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${d.text(BASE64, 43)} ${email(d)}`,
        `-----BEGIN PUBLIC KEY-----\n${d.text(BASE64, 64)}\n-----END PUBLIC KEY-----`,
        `age1${d.text('qpzry9x8gf2tvdw0s3jn54khce6mua7l', 58)}`,
        `pk_live_${d.text(ALNUM, 24)}`,
      ]),
  ],
  [
    'compiler flags',
    ['CFLAGS', 'LDFLAGS', 'RUSTFLAGS', 'NODE_ARGS', 'MAVEN_ARGS', 'JAVA_ARGS'],
    (d) =>
      d.pick([
        '-O2 -g -fPIC',
        `-L${path(d)} -lssl`,
        '-C target-cpu=native',
        '--max-old-space-size=4096',
        `-Dfile.encoding=UTF-8 -Dlog.dir=${path(d)}`,
        '-u 1000:1000 --rm',
      ]),
  ],
  [
    'container user',
    ['DOCKER_ARGS', 'RUN_OPTS'],
    (d) => d.pick(['--user 1000:1000', '-u node:node -v /a:/b', `-v ${path(d)}:${path(d)}:ro`]),
  ],
  [
    'shell text',
    ['LESSOPEN', 'PROMPT_COMMAND', 'EDITOR', 'BROWSER', 'GIT_EDITOR'],
    (d) => d.pick(['| /usr/bin/lesspipe %s', 'history -a; history -n', 'code --wait', 'xdg-open', 'vim']),
  ],
  [
    'pipeline text',
    ['NOTE', 'DESCRIPTION', 'PR_TITLE', 'CHANGELOG'],
    (d) =>
      d.pick([
        `Bearer authentication is now required for ${word(d)}`,
        'Basic authentication was removed',
        `the password: see the handbook`,
        `${words(d, 8, ' ')}.`,
        `Rotate the secret; token refresh every ${d.int(1, 60)} minutes`,
      ]),
  ],
  [
    'telling name, plain value',
    ['API_MODE', 'ACCESS_LOG', 'OAUTH_PROVIDER', 'LICENSE', 'LOGIN_PAGE', 'SIGNING_ALG', 'WEBHOOK_MODE', 'SALT_MASTER'],
    (d) =>
      d.pick([
        'v2',
        path(d),
        'google',
        'Apache-2.0',
        'GPL-3.0-or-later',
        `${words(d, 4)}`,
        'RS256',
        host(d),
        `/login/${words(d, 2, '/')}`,
      ]),
  ],
  [
    'telling name, identifier',
    ['API_IMAGE_TAG', 'ACCESS_POLICY_ID', 'OAUTH_CLIENT_ID', 'LICENSE_SHA256', 'SIGNING_CERT_FINGERPRINT'],
    (d) => d.pick([sha(d), d.uuid(), d.text(HEX, 64)]),
  ],
  [
    'git describe',
    ['GIT_DESCRIBE', 'BUILD_NUMBER', 'IMAGE_TAG', 'APP_BUILD'],
    (d) => `v${version(d)}-${d.int(1, 99)}-g${d.text(HEX, 7)}-${d.pick(['dirty', 'linux-amd64'])}`,
  ],
  [
    'user agent',
    ['USER_AGENT', 'HTTP_UA'],
    (d) => `Mozilla/5.0 (X11; Linux x86_64; rv:${d.int(90, 140)}.0) Gecko/20100101 Firefox/${d.int(90, 140)}.0`,
  ],
  [
    'glob',
    ['GOPRIVATE', 'GLOBIGNORE', 'INCLUDE', 'WATCH'],
    (d) => `github.com/acme/*,**/${word(d)}/*.{ts,tsx},!${word(d)}`,
  ],
  [
    'glued prefix',
    ['SLUG', 'MODULE', 'TASK_ID', 'TARGET'],
    (d) =>
      d.pick([
        `task-${d.text(HEX, 32)}`,
        `disk-${d.text(ALNUM, 8)}`,
        `desk-${words(d, 3)}`,
        `monkey-${d.text(HEX, 12)}`,
        `risk-proj-${words(d, 4)}`,
        `ask_live_${words(d, 3, '_')}`,
      ]),
  ],
  [
    'unicode text',
    ['GREETING', 'CITY', 'USERNAME'],
    (d) => d.pick(['Zürich', 'São Paulo', '東京', 'naïve café', 'Ελλάδα']),
  ],
  ['empty', ['DEBUG', 'NO_COLOR', 'npm_config_noproxy', 'CI_DEBUG'], () => ''],
];

/** Names that C2 and the wider list deny although nothing secret is in them, at about the share they have in real environments. */
const COLLISIONS: readonly (readonly [string, string])[] = [
  ['KEYBOARD_LAYOUT', 'de'],
  ['KEYTIMEOUT', '1'],
  ['TOKENIZERS_PARALLELISM', 'false'],
  ['MAX_THINKING_TOKENS', '8000'],
  ['POSTGRES_HOST_AUTH_METHOD', 'trust'],
  ['MONKEY_PATCH', '1'],
  ['GPG_KEY', 'E3FF2839C048B25C084DEBE9B26995E310250568'],
  ['SSH_KEY_PATH', '/home/bob/.ssh/id_ed25519'],
];

const EACH = 95;

export function harmless(dice: Dice): Sample[] {
  const samples = KINDS.flatMap(([kind, names, make]) =>
    Array.from({ length: EACH }, () => ({ kind, name: dice.pick(names), value: make(dice) })),
  );
  return [...samples, ...COLLISIONS.map(([name, value]) => ({ kind: 'denied name, nothing secret', name, value }))];
}
