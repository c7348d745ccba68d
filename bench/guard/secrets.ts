import { ALNUM, BASE32, BASE64, DIGITS, type Dice, HEX, LOWER, UPPER, URLSAFE } from './random.ts';

export interface Sample {
  readonly kind: string;
  readonly name: string;
  readonly value: string;
}

interface SecretKind {
  readonly kind: string;
  readonly names: readonly string[];
  readonly make: (dice: Dice) => string;
}

const SECRET_NAMES = [
  'GITHUB_TOKEN',
  'DB_PASSWORD',
  'MY_API_KEY',
  'CLIENT_SECRET',
  'npm_config_token',
  'Session_Secret',
];
const WIDER_NAMES = [
  'DB_PASS',
  'MYSQL_PWD',
  'SMTP_PASSWD',
  'AWS_CREDENTIALS',
  'GH_PAT',
  'BASIC_AUTH',
  'DBPASS',
  'GPG_PASSPHRASE',
  'APP_CREDS',
];
const LIKE_NAMES = [
  'COOKIE_SALT',
  'APP_SIGNING',
  'DATA_ENCRYPTION',
  'PARTNER_API',
  'OAUTH_CLIENT',
  'HMAC_SEED',
  'PROD_ACCESS',
  'LICENSE',
];
const NEUTRAL_NAMES = ['VALUE', 'CONFIG', 'UPSTREAM', 'SETTING_1', 'APP_OPTIONS', 'DEPLOY_TARGET', 'X', 'BACKEND'];

const WORDS = ['summer', 'dragon', 'horse', 'battery', 'staple', 'correct', 'monkey', 'winter', 'falcon', 'coffee'];
const humanPassword = (dice: Dice) =>
  `${dice.pick(WORDS)}${dice.pick(['', '!', '-', '_'])}${dice.pick(WORDS)}${dice.int(0, 99)}`;
const host = (dice: Dice) =>
  `${dice.pick(['db', 'cache', 'proxy', 'registry', 'mq'])}.${dice.pick(['example.com', 'corp.internal', 'svc.cluster.local'])}`;
const safePassword = (dice: Dice) => dice.text(`${ALNUM}!$*-_.~`, dice.int(6, 24));
const login = (dice: Dice) =>
  `${dice.pick(['app', 'admin', 'deploy', 'svc-ci', 'bob%40corp.example'])}:${safePassword(dice)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const webToken = (dice: Dice) =>
  `${base64url({ alg: dice.pick(['HS256', 'RS256', 'ES256']), typ: 'JWT' })}.${base64url({ sub: dice.text(DIGITS, 10), iat: dice.int(1e9, 2e9) })}.${dice.text(URLSAFE, 43)}`;

const pem = (dice: Dice, label: string) => {
  const lines = Array.from({ length: dice.int(3, 26) }, () => dice.text(BASE64, 64));
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
};
const PRIVATE_LABELS = [
  'PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'OPENSSH PRIVATE KEY',
  'ENCRYPTED PRIVATE KEY',
  'PGP PRIVATE KEY BLOCK',
];

/** Kinds whose form gives them away: they must be seen under names that say nothing. */
const SHAPED: Readonly<Record<string, (dice: Dice) => string>> = {
  'github classic': (d) => `${d.pick(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'])}${d.text(ALNUM, 36)}`,
  'github fine-grained': (d) => `github_pat_${d.text(ALNUM, 22)}_${d.text(ALNUM, 59)}`,
  'gitlab token': (d) => `${d.pick(['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-64_'])}${d.text(URLSAFE, 20)}`,
  'npm token': (d) => `npm_${d.text(ALNUM, 36)}`,
  'npmrc line': (d) => `//registry.npmjs.org/:_authToken=${d.pick([`npm_${d.text(ALNUM, 36)}`, d.uuid()])}`,
  'npmrc auth': (d) => `registry=https://npm.example.com/\n_auth=${base64(login(d))}\nalways-auth=true`,
  'pypi token': (d) => `pypi-AgEIcHlwaS5vcmc${d.text(URLSAFE, d.int(140, 170))}`,
  'rubygems key': (d) => `rubygems_${d.text(HEX, 48)}`,
  'docker hub token': (d) => `dckr_pat_${d.text(URLSAFE, 27)}`,
  'docker auth config': (d) => JSON.stringify({ auths: { 'registry.example.com': { auth: base64(login(d)) } } }),
  'circleci token': (d) => `CCIPAT_${d.text(ALNUM, 22)}_${d.text(HEX, 40)}`,
  'pulumi token': (d) => `pul-${d.text(HEX, 40)}`,
  'terraform token': (d) => `${d.text(ALNUM, 14)}.atlasv1.${d.text(ALNUM, 67)}`,
  'atlassian token': (d) => `ATATT3xFfGF0${d.text(URLSAFE, 175)}=${d.text('0123456789ABCDEF', 8)}`,
  'aws access key id': (d) => `${d.pick(['AKIA', 'ASIA'])}${d.text(BASE32, 16)}`,
  'aws credentials file': (d) =>
    `[default]\naws_access_key_id = AKIA${d.text(BASE32, 16)}\naws_secret_access_key = ${d.text(BASE64, 40)}\n`,
  'aws session token': (d) => `IQoJb3JpZ2luX2Vj${d.text(BASE64, d.int(300, 700))}==`,
  'google api key': (d) => `AIza${d.text(URLSAFE, 35)}`,
  'google access token': (d) => `ya29.a0${d.text(URLSAFE, d.int(120, 200))}`,
  'google client secret': (d) => `GOCSPX-${d.text(URLSAFE, 28)}`,
  'google service account': (d) =>
    JSON.stringify({
      type: 'service_account',
      project_id: 'p',
      private_key_id: d.text(HEX, 40),
      private_key: pem(d, 'PRIVATE KEY'),
      client_email: 'a@p.iam.gserviceaccount.com',
    }),
  'google service account, base64': (d) =>
    base64(JSON.stringify({ type: 'service_account', private_key: pem(d, 'PRIVATE KEY') })),
  'google user credentials': (d) =>
    JSON.stringify({
      client_id: 'x',
      client_secret: `d-${d.text(ALNUM, 22)}`,
      refresh_token: `1//0${d.text(URLSAFE, 60)}`,
      type: 'authorized_user',
    }),
  'azure storage': (d) =>
    `DefaultEndpointsProtocol=https;AccountName=${d.text(LOWER, 8)};AccountKey=${d.text(BASE64, 86)}==;EndpointSuffix=core.windows.net`,
  'azure service bus': (d) =>
    `Endpoint=sb://${d.text(LOWER, 8)}.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${d.text(BASE64, 43)}=`,
  'azure sas url': (d) =>
    `https://${d.text(LOWER, 8)}.blob.core.windows.net/c?sv=2023-01-03&se=2030-01-01T00%3A00%3A00Z&sr=c&sp=rl&sig=${encodeURIComponent(`${d.text(BASE64, 43)}=`)}`,
  'azure client secret': (d) => `${d.text(ALNUM, 3)}${d.text(DIGITS, 1)}Q~${d.text(`${ALNUM}_~.-`, 34)}`,
  'digitalocean token': (d) => `${d.pick(['dop', 'doo', 'dor'])}_v1_${d.text(HEX, 64)}`,
  'databricks token': (d) => `dapi${d.text(HEX, 32)}${d.pick(['', '-2'])}`,
  'alibaba key id': (d) => `LTAI5t${d.text(ALNUM, 18)}`,
  'vault token': (d) => `${d.pick(['hvs.', 'hvb.'])}${d.text(URLSAFE, d.int(24, 100))}`,
  'doppler token': (d) => `${d.pick(['dp.pt.', 'dp.st.dev.', 'dp.st.prd_eu.', 'dp.sa.'])}${d.text(ALNUM, 43)}`,
  '1password service account': (d) =>
    `ops_${base64url({ signInAddress: 'x.1password.com', userAuth: { method: 'SRPg-4096' }, email: 'a', srpX: d.text(HEX, 64) })}`,
  'age identity': (d) => `AGE-SECRET-KEY-1${d.text('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
  'slack token': (d) => `${d.pick(['xoxb', 'xoxp'])}-${d.text(DIGITS, 11)}-${d.text(DIGITS, 12)}-${d.text(ALNUM, 24)}`,
  'slack app token': (d) => `xapp-1-A${d.text(UPPER + DIGITS, 10)}-${d.text(DIGITS, 13)}-${d.text(HEX, 64)}`,
  'slack webhook': (d) =>
    `https://hooks.slack.com/services/T${d.text(UPPER + DIGITS, 8)}/B${d.text(UPPER + DIGITS, 10)}/${d.text(ALNUM, 24)}`,
  'discord webhook': (d) => `https://discord.com/api/webhooks/${d.text(DIGITS, 18)}/${d.text(URLSAFE, 68)}`,
  'discord bot': (d) => `${base64(`1${d.text(DIGITS, 17)}`)}.${d.text(URLSAFE, 6)}.${d.text(URLSAFE, 38)}`,
  'teams webhook': (d) =>
    `https://acme.webhook.office.com/webhookb2/${d.uuid()}@${d.uuid()}/IncomingWebhook/${d.text(HEX, 32)}/${d.uuid()}`,
  'telegram bot': (d) => `${d.int(10000000, 9999999999)}:AA${d.text(URLSAFE, 33)}`,
  'twilio key': (d) => `${d.pick(['SK', 'AC'])}${d.text(HEX, 32)}`,
  'sendgrid key': (d) => `SG.${d.text(URLSAFE, 22)}.${d.text(URLSAFE, 43)}`,
  'mailgun key': (d) => `key-${d.text(HEX, 32)}`,
  'mailchimp key': (d) => `${d.text(HEX, 32)}-us${d.int(1, 21)}`,
  'stripe key': (d) => `${d.pick(['sk_live_', 'rk_live_', 'sk_test_'])}${d.text(ALNUM, d.pick([24, 99]))}`,
  'stripe webhook secret': (d) => `whsec_${d.text(ALNUM, 32)}`,
  'shopify token': (d) => `${d.pick(['shpat_', 'shpss_', 'shpca_'])}${d.text(HEX, 32)}`,
  'square token': (d) => `sq0atp-${d.text(URLSAFE, 22)}`,
  'new relic key': (d) => `NRAK-${d.text(UPPER + DIGITS, 27)}`,
  'grafana token': (d) => `glsa_${d.text(ALNUM, 32)}_${d.text(HEX, 8)}`,
  'sentry token': (d) => `sntryu_${d.text(HEX, 64)}`,
  'dynatrace token': (d) => `dt0c01.${d.text(UPPER + DIGITS, 24)}.${d.text(UPPER + DIGITS, 64)}`,
  'linear key': (d) => `lin_api_${d.text(ALNUM, 40)}`,
  'notion token': (d) => `ntn_${d.text(DIGITS, 11)}${d.text(ALNUM, 35)}`,
  'figma token': (d) => `figd_${d.text(URLSAFE, 40)}`,
  'postman key': (d) => `PMAK-${d.text(HEX, 24)}-${d.text(HEX, 34)}`,
  'airtable token': (d) => `pat${d.text(ALNUM, 14)}.${d.text(HEX, 64)}`,
  'openai key': (d) =>
    d.pick([
      `sk-${d.text(ALNUM, 20)}T3BlbkFJ${d.text(ALNUM, 20)}`,
      `sk-proj-${d.text(URLSAFE, 74)}T3BlbkFJ${d.text(URLSAFE, 74)}`,
      `sk-svcacct-${d.text(URLSAFE, 120)}`,
    ]),
  'anthropic key': (d) => `sk-ant-${d.pick(['api03', 'admin01', 'oat01'])}-${d.text(URLSAFE, 93)}AA`,
  'openrouter key': (d) => `sk-or-v1-${d.text(HEX, 64)}`,
  'hugging face token': (d) => `hf_${d.text(LOWER + UPPER, 34)}`,
  'groq key': (d) => `gsk_${d.text(ALNUM, 52)}`,
  'xai key': (d) => `xai-${d.text(ALNUM, 80)}`,
  'replicate token': (d) => `r8_${d.text(ALNUM, 37)}`,
  'together key': (d) => `tgp_v1_${d.text(URLSAFE, 43)}`,
  'cerebras key': (d) => `csk-${d.text(d.pick([LOWER + DIGITS, ALNUM]), 48)}`,
  'jina key': (d) => `jina_${d.text(HEX, 32)}${d.text(URLSAFE, 28)}`,
  'neon key': (d) => `napi_${d.text(LOWER + DIGITS, 64)}`,
  'grafana cloud token': (d) =>
    `glc_${d.pick([base64(JSON.stringify({ o: d.text(DIGITS, 6), n: 'ci', k: d.text(ALNUM, 24), m: { r: 'eu' } })), d.text(ALNUM, 40)])}`,
  'fireworks key': (d) => `fw_${d.text(ALNUM, d.pick([22, 24]))}`,
  'mapbox secret token': (d) =>
    `sk.${base64url({ u: d.text(LOWER, d.int(3, 20)), a: `c${d.text(LOWER + DIGITS, 24)}` })}.${d.text(URLSAFE, 22)}`,
  'supabase token': (d) => `sbp_${d.text(HEX, 40)}`,
  'tailscale key': (d) => `tskey-auth-k${d.text(ALNUM, 12)}CNTRL-${d.text(ALNUM, 32)}`,
  'web token': webToken,
  'bearer header': (d) =>
    `${d.pick(['Authorization: Bearer ', 'Bearer ', 'authorization=Bearer%20'])}${d.pick([webToken(d), d.text(URLSAFE, 40)])}`,
  'basic header': (d) => `${d.pick(['Authorization: Basic ', 'Basic '])}${base64(login(d))}`,
  'otlp headers': (d) => `x-tenant=a,api-key=${d.text(HEX, 32)}`,
  'private key': (d) => pem(d, d.pick(PRIVATE_LABELS)),
  'private key, escaped': (d) => pem(d, d.pick(PRIVATE_LABELS)).replaceAll('\n', '\\n'),
  'private key, base64': (d) => base64(pem(d, d.pick(PRIVATE_LABELS))),
  'database url': (d) =>
    `${d.pick(['postgres', 'postgresql', 'mysql', 'mongodb+srv', 'redis', 'rediss', 'amqp', 'clickhouse'])}://${login(d)}@${host(d)}:${d.int(1024, 65535)}/app?ssl=1`,
  'database url, password only': (d) => `redis://:${safePassword(d)}@${host(d)}:6379/0`,
  'proxy url': (d) => `${d.pick(['http', 'https', 'socks5', 'socks5h'])}://${login(d)}@${host(d)}:3128`,
  'git url with token': (d) =>
    `https://${d.pick(['', 'oauth2:', 'x-access-token:'])}${d.text(ALNUM, d.int(20, 40))}@git.example.com/a/b.git`,
  'url in a list': (d) => `http://${host(d)}:80,https://${login(d)}@${host(d)}/,http://c`,
  'url, encoded': (d) => encodeURIComponent(`https://${login(d)}@${host(d)}/x`),
  'url, raw slash in password': (d) => `postgres://app:${d.text(ALNUM, 6)}/${d.text(ALNUM, 6)}#x@${host(d)}/db`,
  'ado connection string': (d) => `Server=${host(d)};Database=app;User Id=sa;Password=${safePassword(d)};Encrypt=true`,
  'libpq string': (d) => `host=${host(d)} user=app password=${safePassword(d)} dbname=app`,
  'jdbc url': (d) => `jdbc:mysql://${host(d)}:3306/app?user=app&password=${safePassword(d)}&useSSL=true`,
  'java options': (d) =>
    `-Xmx2g -Djavax.net.ssl.trustStore=/etc/t.jks -Djavax.net.ssl.trustStorePassword=${humanPassword(d)}`,
  'json settings': (d) => JSON.stringify({ host: host(d), user: 'app', password: humanPassword(d) }),
  'query string': (d) => `https://api.example.com/v1/x?limit=5&access_token=${d.text(ALNUM, 32)}`,
  'dotenv text': (d) => `PORT=3000\nAPP_SECRET=${d.text(ALNUM, 32)}\nDEBUG=0\n`,
  'curl login': (d) => `curl -sS -u ${login(d)} https://api.example.com/`,
  'password hash': (d) => `admin:$2y$10$${d.text(`${ALNUM}./`, 53)}`,
};

/** Kinds with no form of their own: only the name can tell. */
const NAMED: readonly SecretKind[] = [
  { kind: 'person-made password', names: [...SECRET_NAMES, ...WIDER_NAMES], make: humanPassword },
  { kind: 'short secret', names: [...SECRET_NAMES, ...WIDER_NAMES], make: (d) => d.text(ALNUM, d.int(4, 10)) },
  {
    kind: 'aws secret access key',
    names: ['AWS_SECRET_ACCESS_KEY', 'aws_secret_access_key', 'AWS_PROD_ACCESS', 'S3_ACCESS'],
    make: (d) => d.text(BASE64, 40),
  },
  {
    kind: 'hex secret',
    names: [...SECRET_NAMES, ...WIDER_NAMES, ...LIKE_NAMES],
    make: (d) => d.text(HEX, d.pick([32, 40, 64])),
  },
  {
    kind: 'base64 secret',
    names: [...SECRET_NAMES, ...WIDER_NAMES, ...LIKE_NAMES],
    make: (d) => d.bytes(d.pick([16, 24, 32, 64])).toString('base64'),
  },
  {
    kind: 'alphanumeric secret',
    names: [...SECRET_NAMES, ...WIDER_NAMES, ...LIKE_NAMES],
    make: (d) => d.text(ALNUM, d.int(20, 48)),
  },
  { kind: 'uuid key', names: ['HEROKU_API_KEY', 'SNYK_TOKEN', 'CODECOV_TOKEN'], make: (d) => d.uuid() },
  {
    kind: 'npm _auth',
    names: ['NPM_CONFIG__AUTH', 'npm_config__auth', 'npm_config_//registry.example.com/:_auth'],
    make: (d) => base64(login(d)),
  },
  {
    kind: 'npm _password',
    names: ['NPM_CONFIG__PASSWORD', 'npm_config_//registry.example.com/:_password'],
    make: (d) => base64(safePassword(d)),
  },
  {
    kind: 'proxy without scheme',
    names: ['HTTPS_PROXY', 'http_proxy', 'NPM_CONFIG_PROXY', 'ALL_PROXY'],
    make: (d) => `${login(d)}@${host(d)}:8080`,
  },
];

const secretCount = { shapedEach: 28, namedEach: 40 };

/** Secrets whose form tells, under names that don't. */
export function shapedSecrets(dice: Dice): Sample[] {
  return Object.entries(SHAPED).flatMap(([kind, make]) =>
    Array.from({ length: secretCount.shapedEach }, () => ({ kind, name: dice.pick(NEUTRAL_NAMES), value: make(dice) })),
  );
}

/** Secrets without a form, under the names people give them. */
export function namedSecrets(dice: Dice): Sample[] {
  return NAMED.flatMap(({ kind, names, make }) =>
    Array.from({ length: secretCount.namedEach }, () => ({ kind, name: dice.pick(names), value: make(dice) })),
  );
}
