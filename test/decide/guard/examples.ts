interface Example {
  /** Values the rule must see, alone and inside a longer text. */
  readonly matches: readonly string[];
  /** Values that look alike and are none. */
  readonly lookalikes: readonly string[];
  /** The variable's name, where the rule depends on it. */
  readonly name?: string;
}

// Put together at run time, so that no scanner takes this file for a leak.
const some = (alphabet: string, length: number) => alphabet.repeat(length).slice(0, length);
const alnum = (length: number) => some('a1B2c3D4e5', length);
const upper = (length: number) => some('A2B3C4D5', length);
const hex = (length: number) => some('0a1b2c3d', length);
const digits = (length: number) => some('1928374650', length);
const uuid = `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const pem = (label: string) => `-----BEGIN ${label}-----\n${alnum(64)}\n-----END ${label}-----`;
const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
const body = Buffer.from('{"sub":"1"}').toString('base64url');

export const EXAMPLES: Readonly<Record<string, Example>> = {
  'github-token': {
    matches: [`ghp_${alnum(36)}`, `ghs_${alnum(36)}`, `github_pat_${alnum(22)}_${alnum(59)}`],
    lookalikes: [`ghp_${alnum(20)}`, `xghp_${alnum(36)}`, 'github_pat_policy', `ghx_${alnum(36)}`],
  },
  'gitlab-token': {
    matches: [`glpat-${alnum(20)}`, `glcbt-64_${alnum(20)}`, `glrt-${alnum(20)}`],
    lookalikes: ['glpat-short', 'gltf-viewer-with-a-long-name', `eglpat-${alnum(20)}`],
  },
  'npm-token': {
    matches: [`npm_${alnum(36)}`],
    lookalikes: ['npm_config_registry', `npm_${alnum(20)}`, `npm_${alnum(50)}`],
  },
  'pypi-token': { matches: [`pypi-AgEIcHlwaS5vcmc${alnum(80)}`], lookalikes: ['pypi-AgEnt-mirror', 'pypi-server-1.2'] },
  'registry-token': {
    matches: [
      `rubygems_${hex(48)}`,
      `dckr_pat_${alnum(27)}`,
      `oy2${some('a1b2', 43)}`,
      `cio${alnum(32)}`,
      `AKCp${alnum(69)}`,
    ],
    lookalikes: [`rubygems_${hex(10)}`, `cio${alnum(40)}`, 'dckr_pat_short', `precio${alnum(32)}`],
  },
  'ci-token': {
    matches: [
      `CCIPAT_${alnum(22)}_${hex(40)}`,
      `bkua_${hex(40)}`,
      `squ_${hex(40)}`,
      `sgp_${hex(40)}`,
      `pul-${hex(40)}`,
      `nfp_${alnum(36)}`,
    ],
    lookalikes: [`pul-${hex(10)}`, `gulpul-${hex(40)}`, `sgp_${hex(12)}`],
  },
  'terraform-token': { matches: [`${alnum(14)}.atlasv1.${alnum(67)}`], lookalikes: [`x.atlasv1.${alnum(67)}`] },
  'atlassian-token': {
    matches: [`ATATT3${alnum(186)}`, `ATBB${alnum(32)}`],
    lookalikes: [`ATATT3${alnum(20)}`, `XATBB${alnum(32)}`],
  },
  'supabase-token': {
    matches: [`sbp_${hex(40)}`, `pscale_tkn_${alnum(43)}`, `napi_${some('a1b2', 64)}`],
    lookalikes: [`sbp_${hex(8)}`, 'pscale_tkn_x', 'napi_create_function_with_a_long_name', `xnapi_${hex(64)}`],
  },
  'aws-access-key': {
    matches: [`AKIA${upper(16)}`, `ASIA${upper(16)}`],
    lookalikes: ['ASIA_PACIFIC_SOUTHEAST', `AKIA${upper(20)}`, `XAKIA${upper(16)}`],
  },
  'aws-session-token': {
    matches: [`IQoJb3JpZ2lu${alnum(300)}`, `amzn.mws.${uuid}`],
    lookalikes: ['IQoJb3JpZ2lu', 'amzn.mws.docs'],
  },
  'google-api-key': { matches: [`AIza${alnum(35)}`], lookalikes: [`AIza${alnum(20)}`, `AIza${alnum(60)}`] },
  'google-oauth': {
    matches: [`ya29.${alnum(60)}`, `GOCSPX-${alnum(28)}`, `1//0${alnum(50)}`],
    lookalikes: ['ya29.txt', 'https://x.io/1//0a'],
  },
  'azure-connection-string': {
    matches: [`AccountName=a;AccountKey=${alnum(86)}==`, `Endpoint=sb://a/;SharedAccessKey=${alnum(43)}=`],
    lookalikes: ['AccountName=a;AccountKey=;', 'SharedAccessKeyName=RootManage'],
  },
  'azure-sas': {
    matches: [`https://a.blob.core.windows.net/c?sv=1&sig=${alnum(43)}%3D`],
    lookalikes: [`?design=${alnum(40)}`, '?sig=none'],
  },
  'azure-secret': {
    matches: [`abc8Q~${alnum(34)}`, `${alnum(52)}JQQJ99${alnum(22)}`, `${alnum(76)}AZDO${alnum(4)}`],
    lookalikes: ['FAQ~ 12 questions', 'AZDO pipeline', 'ACR and AKS'],
  },
  'digitalocean-token': { matches: [`dop_v1_${hex(64)}`], lookalikes: [`dop_v1_${hex(20)}`, `dox_v1_${hex(64)}`] },
  'databricks-token': {
    matches: [`dapi${hex(32)}`, `dapi${hex(32)}-2`],
    lookalikes: [`dapi${hex(40)}`, `redapi${hex(32)}`],
  },
  'alibaba-tencent-key': {
    matches: [`LTAI${alnum(20)}`, `AKID${alnum(32)}`],
    lookalikes: [`LTAI${alnum(40)}`, 'AKID'],
  },
  'cloudflare-origin-key': { matches: [`v1.0-${hex(24)}-${hex(146)}`], lookalikes: [`v1.0-${hex(24)}`, 'v1.0-rc1'] },
  'vault-token': {
    matches: [`hvs.${alnum(90)}`, `hvb.${alnum(24)}`],
    lookalikes: ['hvs.example.com', `shvs.${alnum(24)}`],
  },
  'doppler-token': {
    matches: [`dp.pt.${alnum(43)}`, `dp.st.prd_eu.${alnum(43)}`],
    lookalikes: ['dp.st.example', `ndp.pt.${alnum(43)}`],
  },
  'onepassword-token': {
    matches: [`ops_eyJ${alnum(250)}`, `A3-${upper(6)}-${upper(6)}-${upper(5)}-${upper(5)}-${upper(5)}`],
    lookalikes: ['ops_eyJ', 'A3-landscape', 'devops_eyJx'],
  },
  'tailscale-key': {
    matches: [`tskey-auth-${alnum(16)}-${alnum(32)}`],
    lookalikes: ['tskey-auth-x', `hotskey-auth-${alnum(16)}`],
  },
  'anthropic-key': {
    matches: [`sk-ant-api03-${alnum(93)}AA`],
    lookalikes: ['sk-ant-hill', `task-ant-api03-${alnum(93)}`],
  },
  'openai-key': {
    matches: [`sk-${alnum(48)}`, `sk-proj-${alnum(100)}`, `sk-or-v1-${hex(64)}`],
    lookalikes: [`task-${hex(32)}`, 'sk-learn', `disk-proj-${alnum(40)}`],
  },
  'huggingface-token': { matches: [`hf_${some('aBcDeFgH', 34)}`], lookalikes: ['hf_transfer', `shelf_${alnum(34)}`] },
  'model-provider-key': {
    matches: [
      `gsk_${alnum(52)}`,
      `xai-${alnum(80)}`,
      `r8_${alnum(37)}`,
      `nvapi-${alnum(64)}`,
      `tgp_v1_${alnum(43)}`,
      `csk-${alnum(48)}`,
      `csk-${hex(48)}`,
      `jina_${hex(32)}${alnum(28)}`,
      `fw_${alnum(22)}`,
      `fw_${alnum(24)}`,
    ],
    lookalikes: [
      'gsk_short',
      'xai-grok',
      `bar8_${alnum(37)}`,
      'tgp_v1_docs',
      'csk-branch',
      'jina_embeddings_v3',
      'fw_updateconfigurationmanager',
      'fw_rules_enabled_for_all_hosts',
      `xfw_${alnum(22)}`,
    ],
  },
  'slack-token': {
    matches: [`xoxb-${digits(11)}-${alnum(24)}`, `xapp-1-${upper(10)}-${digits(13)}-${hex(64)}`],
    lookalikes: ['xox', 'foxoxb-12345678901', 'xoxo-hug'],
  },
  'webhook-url': {
    matches: [
      `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${alnum(24)}`,
      `https://discord.com/api/webhooks/${digits(18)}/${alnum(68)}`,
    ],
    lookalikes: [
      'https://hooks.slack.com/',
      'https://discord.com/api/webhooks/',
      'https://api.slack.com/services/T/B/c',
    ],
  },
  'discord-token': {
    matches: [`${base64(`1${digits(17)}`).replace(/^./, 'M')}.${alnum(6)}.${alnum(38)}`],
    lookalikes: [`My-long-sub-domain-name-x.${alnum(6)}.io`, 'Node.js.org'],
  },
  'telegram-token': {
    matches: [`${digits(10)}:AA${alnum(33)}`, `https://api.telegram.org/bot${digits(10)}:AA${alnum(33)}/x`],
    lookalikes: ['12345678:AA', `1:AA${alnum(33)}`],
  },
  'twilio-key': { matches: [`SK${hex(32)}`, `AC${hex(32)}`], lookalikes: [`SK${hex(40)}`, `MAC${hex(32)}`, 'AC/DC'] },
  'mail-service-key': {
    matches: [`SG.${alnum(22)}.${alnum(43)}`, `key-${hex(32)}`, `${hex(32)}-us12`, `xkeysib-${hex(64)}-${alnum(16)}`],
    lookalikes: ['SG.en.UTF-8', `monkey-${hex(32)}`, `${hex(32)}-usage`, 'key-value'],
  },
  'stripe-key': {
    matches: [`sk_live_${alnum(24)}`, `rk_live_${alnum(24)}`, `sk_test_${alnum(99)}`, `whsec_${alnum(32)}`],
    lookalikes: [`pk_live_${alnum(24)}`, `ask_live_${alnum(24)}`, 'sk_test_data'],
  },
  'payment-key': {
    matches: [`sq0atp-${alnum(22)}`, `access_token$production$${some('a1', 16)}$${hex(32)}`, `access-sandbox-${uuid}`],
    lookalikes: ['access-sandbox-policy', 'sq0'],
  },
  'shopify-token': {
    matches: [`shpat_${hex(32)}`, `shpss_${hex(32)}`],
    lookalikes: [`shpxx_${hex(32)}`, 'shpat_short'],
  },
  'monitoring-token': {
    matches: [
      `NRAK-${upper(27)}`,
      `glsa_${alnum(32)}_${hex(8)}`,
      `sntryu_${hex(64)}`,
      `dt0c01.${upper(24)}.${upper(64)}`,
      `glc_${base64('{"o":"123456","n":"ci","k":"abcdefghij"}')}`,
    ],
    lookalikes: ['glc_eyJ', 'glc_config_file_of_the_compiler_x', 'NRAK-1', 'dt0c01.x', 'GENERAL'],
  },
  'workplace-token': {
    matches: [
      `lin_api_${alnum(40)}`,
      `ntn_${digits(11)}${alnum(35)}`,
      `figd_${alnum(40)}`,
      `pat${alnum(14)}.${hex(64)}`,
      `sk.${base64('{"u":"someone","a":"cl0abcdefghijklmnopqrstuv"}').replace(/=+$/, '')}.${alnum(22)}`,
    ],
    lookalikes: [
      'sk.eyJ',
      `pk.${base64('{"u":"someone"}')}.${alnum(22)}`,
      'secret_santa',
      `pat${alnum(14)}.js`,
      'lin_api_docs',
    ],
  },
  'private-key': {
    matches: [pem('RSA PRIVATE KEY'), pem('PRIVATE KEY').replaceAll('\n', '\\n'), base64(pem('OPENSSH PRIVATE KEY'))],
    lookalikes: [pem('PUBLIC KEY'), pem('CERTIFICATE'), base64(pem('CERTIFICATE')), 'a PRIVATE KEY'],
  },
  'age-identity': {
    matches: [`AGE-SECRET-KEY-1${upper(58)}`],
    lookalikes: ['AGE-SECRET-KEY-1', `age1${some('qpz', 58)}`],
  },
  'extended-private-key': { matches: [`xprv${some('9abcD', 107)}`], lookalikes: [`xpub${some('9abcD', 107)}`] },
  'password-hash': {
    matches: [`bob:$2y$10$${alnum(53)}`, `$6$salt$${alnum(86)}`, '$argon2id$v=19$m=65536,t=3$c2FsdA$aGFzaA'],
    lookalikes: ['$2y$10', 'costs $6$ or $5$', '$1 $2 $3'],
  },
  'url-userinfo': {
    matches: [
      'http://u:p@proxy:1',
      'https://tok3n@host/x',
      'redis://:pw@h',
      'postgres://app:pa/ss@h/db',
      'http://a,https://u:p@b',
      'jdbc:postgresql://u:p@h/d',
      'https%3A%2F%2Fu%3Ap%40h',
      'HTTPS://U:P@H',
      'ftp://bob%40x:pw@h',
      'x+y.z-1://u:p@h',
    ],
    lookalikes: [
      'git@github.com:a/b',
      'ssh://git@host/x',
      'bob@example.com',
      'https://h/@scope/x',
      'http://h:80/@scope/x',
      'https://h/?mail=a@b.c',
      'http://[::1]:80/a@b',
      'docker://alpine:3@sha256:00',
      'http://@h',
      'https://host#a@b',
      'see http://a.b or mail c@d.e',
    ],
  },
  'proxy-userinfo': {
    name: 'https_proxy',
    matches: ['user:pw@proxy:3128', 'http:\\\\u:p@proxy'],
    lookalikes: ['proxy:3128', 'localhost,.corp', 'http://proxy:1/@'],
  },
  'npm-auth': { name: 'NPM_CONFIG__AUTH', matches: ['dTpw', 'x'], lookalikes: [''] },
  'web-token': {
    matches: [`${header}.${body}.${alnum(43)}`, `a=${header}.${body}.;b`],
    lookalikes: [`${header}.${body}`, 'eyJ.eyJ.eyJ', `${body}.${body}.${body}`],
  },
  'auth-header': {
    matches: [
      `Authorization: Bearer ${alnum(20)}`,
      `Basic ${base64('user:password')}`,
      `x-api-key=${hex(32)}`,
      `authorization: token ${alnum(40)}`,
    ],
    lookalikes: [
      'Bearer authentication required',
      'token refresh every 15 minutes',
      'Basic authentication',
      'x-api-key-header',
      'the basics of it',
    ],
  },
  'assigned-credential': {
    matches: [
      'host=h password=hunter2',
      'Password="p;x y"',
      '//r/:_authToken=abcdef',
      '{"password":"hunter2"}',
      `?access_token=${alnum(20)}`,
      'Server=h;Pwd=x1y2;',
      'password: hunter2\nuser: x',
      `_auth=${base64('u:pw')}`,
      `client_secret=${alnum(20)}`,
    ],
    lookalikes: [
      '{"password":""}',
      '{"requirePassword":true}',
      'password=$DB_PASSWORD',
      'password=***',
      'the password: see the handbook',
      'BYPASS=1',
      'id-token: write',
      'passwordFile=/run/x',
      'maxTokens=4000',
    ],
  },
  'login-argument': {
    matches: [
      'curl -u bob:hunter2 https://h',
      'sshpass -p hunter2 ssh h',
      'mysql -u root -phunter2 db',
      'machine h login bob password hunter2',
      'jdbc:oracle:thin:scott/tiger@//h:1521/x',
    ],
    lookalikes: [
      'docker run -u 1000:1000 x',
      'mysql -u root -p db',
      'mkdir -p /a/b',
      'the machine login password',
      'curl -U x',
      'jdbc:oracle:thin:@//h:1521/x',
    ],
  },
  'random-value': {
    name: 'COOKIE_SALT',
    matches: [hex(32), 'q8Zr1LmX0vTb7KcN', '9f86d081884c7d659a2feaa0c55ad015'],
    lookalikes: [
      'production-us-east-1-cluster',
      '/var/lib/a1b2c3d4e5f6a7b8',
      uuid,
      'Apache-2.0 WITH LLVM-exception',
      'https://h/a1b2c3d4e5f6',
      'short1',
    ],
  },
};
