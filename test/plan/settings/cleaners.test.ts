import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cleaned, SETTINGS } from '../../../src/plan/settings/index.ts';

const kindOf = (place: string) => {
  const kind = SETTINGS.find(({ places }) => places.includes(place));
  if (kind === undefined) throw new Error(`nothing is known of ${place}`);
  return kind;
};
const clean = (place: string, text: string) => cleaned(text, kindOf(place).clean);

const TOKEN = ['npm', 'CANARYabcdefghijklmnopqrstuvwxyz0123'].join('_');
const LOGGED_IN = `https://${['ada', 'CANARY'].join(':')}@`;

describe('npm', () => {
  const KEPT = [
    'registry=https://registry.example.com/',
    '@corp:registry=https://npm.corp.example/',
    'ignore-scripts=true',
    'cafile=/etc/corp.pem',
    'prefix=~/.npm-global',
    'always-auth=true',
    ['//npm.corp.example/:_authToken=$', '{NPM_TOKEN}'].join(''),
  ];
  it.each(KEPT)('keeps %s', (line) => expect(clean('.npmrc', line)).toBe(`${line}\n`));

  it.each([
    `//registry.example.com/:_authToken=${TOKEN}`,
    '_auth = dTpw',
    `"_authToken"="${TOKEN}"`,
    `"\\u005fauthToken"="CANARY"`,
    '_password="cHc="',
    'CANARY',
    'username=ada',
    '//host/:certfile=/x.pem',
    '# //registry.example.com/:_authToken=old',
    'key="-----BEGIN PRIVATE KEY-----\\nabc"',
    '@corp:_authToken=x',
    `some-new-setting=${TOKEN}`,
  ])('loses %s', (line) => expect(clean('.npmrc', line)).toBe(''));

  it('loses what logs in once', () =>
    expect(clean('.npmrc', 'otp=123456\nsave-exact=true\n')).toBe('save-exact=true\n'));

  it.each([
    ['https:/ada:CANARY@h/', 'https://h/'],
    ['https:ada:CANARY@h/', 'https://h/'],
    ['https:\\\\ada:CANARY@h/', 'https://h/'],
    ['"https:\\/\\/ada:CANARY@h/"', '"https://h/"'],
    ['"https:\\u002f\\u002fada:CANARY@h/"', '"https://h/"'],
    ['//ada:CANARY@h/', '//h/'],
    ['ada:CANARY@proxy.example:3128', 'proxy.example:3128'],
    ['https://h/t/CANARY-1234567/chan', 'https://h/chan'],
  ])('keeps an address without its log-in, however it is written: %s', (address, left) => {
    const [line] = (clean('.npmrc', `proxy=${address}\n`) ?? '').split('\n');
    expect(line).not.toContain('CANARY');
    expect(['', `proxy=${left}`, `proxy=${left.replaceAll('"', '')}`]).toContain(line);
  });

  it('keeps a registry without its log-in, or npm would ask the public one', () => {
    expect(clean('.npmrc', `@corp:registry=${LOGGED_IN}npm.corp.example/\n`)).toBe(
      '@corp:registry=https://npm.corp.example/\n',
    );
  });
  it('a quote that does not end is not understood', () => expect(clean('.npmrc', '"_authToken=x')).toBeUndefined());
});

describe('Yarn, pip, conda and gh', () => {
  it('Yarn 1', () => {
    expect(clean('.yarnrc', `registry "https://npm.example/"\n"//npm.example/:_authToken" ${TOKEN}\n`)).toBe(
      'registry "https://npm.example/"\n',
    );
  });

  it('Yarn 2 and later', () => {
    const text = `# a word
npmRegistryServer: "https://npm.example"
npmScopes:
  corp:
    npmRegistryServer: ${LOGGED_IN}npm.corp.example
    npmAuthToken: ${TOKEN}
npmRegistries:
  "//npm.example":
    npmAuthIdent: "ada:CANARY"
    npmAlwaysAuth: true
plugins:
  - path: .yarn/plugins/a.cjs
    spec: "@yarnpkg/a"
enableTelemetry: false
`;
    expect(parse(clean('.yarnrc.yml', text) ?? '')).toEqual({
      npmRegistryServer: 'https://npm.example',
      npmScopes: { corp: { npmRegistryServer: 'https://npm.corp.example' } },
      npmRegistries: { '//npm.example': { npmAlwaysAuth: true } },
      plugins: [{ path: '.yarn/plugins/a.cjs', spec: '@yarnpkg/a' }],
      enableTelemetry: false,
    });
  });

  it('pip, with values over several lines', () => {
    const text = `[global]\nindex-url = ${LOGGED_IN}pypi.example/simple\nextra-index-url =\n    ${LOGGED_IN}a.example/simple\n    https://b.example/simple\n; old\n[install]\nno-binary: all\npassword = CANARY\n`;
    expect(clean('.config/pip/pip.conf', text)).toBe(
      '[global]\nindex-url = https://pypi.example/simple\nextra-index-url = \n  https://a.example/simple\n  https://b.example/simple\n[install]\nno-binary = all\n',
    );
  });

  it('gh', () => {
    const text = 'git_protocol: ssh\neditor:\naliases:\n    co: pr checkout\n    v: "!echo a: b"\n';
    expect(parse(clean('.config/gh/config.yml', text) ?? '')).toEqual(parse(text));
  });
});

describe('Docker, kubectl, cargo and Maven', () => {
  it('Docker', () => {
    const settings = {
      auths: { 'r.example': { auth: 'Q0FOQVJZ' } },
      credsStore: 'desktop',
      currentContext: 'work',
      proxies: { default: { httpProxy: `${LOGGED_IN}proxy:3128` } },
      plugins: { debug: { hooks: 'exec' } },
      identitytoken: 'CANARY',
    };
    expect(JSON.parse(clean('.docker/config.json', JSON.stringify(settings)) ?? '')).toEqual({
      currentContext: 'work',
      proxies: { default: { httpProxy: 'https://proxy:3128' } },
      plugins: { debug: { hooks: 'exec' } },
    });
  });

  it('kubectl', () => {
    const text = `apiVersion: v1
kind: Config
current-context: dev
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from('a certificate that is public').toString('base64')}
    server: https://k8s.example:6443
  name: dev
contexts:
- context:
    cluster: dev
    user: ada
  name: dev
users:
- name: ada
  user:
    token: CANARY
    client-key-data: CANARY
- name: bob
  user:
    exec:
      command: aws
      args: [eks, get-token]
      env:
      - name: A
        value: CANARY
`;
    const kept = clean('.kube/config', text) ?? '';
    expect(kept).not.toContain('CANARY');
    expect(parse(kept)).toMatchObject({
      'current-context': 'dev',
      clusters: [{ name: 'dev', cluster: { server: 'https://k8s.example:6443' } }],
      contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'ada' } }],
      users: [
        { name: 'ada', user: {} },
        { name: 'bob', user: { exec: { command: 'aws', args: ['eks', 'get-token'] } } },
      ],
    });
  });

  it('cargo', () => {
    const text = `[registries.corp]
index = "sparse+${LOGGED_IN}cargo.example/"
token = "CANARY"
[source]
crates-io = { replace-with = "corp" }
private = { registry = "https://x.example", token = "CANARY" }
[build]
rustflags = [
  "-C", # fast
  "target-cpu=native",
]
[env]
DB_PASSWORD = "CANARY"
`;
    expect(clean('.cargo/config.toml', text)).toBe(`[registries.corp]
index = "sparse+https://cargo.example/"
[source]
crates-io = { replace-with = "corp" }
[build]
rustflags = [ "-C", "target-cpu=native", ]
[env]
`);
  });

  it('Maven', () => {
    const text = `<?xml version="1.0"?>
<settings><!-- CANARY --><localRepository>/r</localRepository>
<servers><server><id>a</id><username>u</username><password>CANARY</password></server></servers>
<mirrors><mirror><url>${LOGGED_IN}m.example/maven</url></mirror></mirrors>
<profiles><profile><properties><sonar.token>CANARY</sonar.token><a>b</a></properties></profile></profiles></settings>
`;
    expect(clean('.m2/settings.xml', text)).toBe(`<?xml version="1.0"?>
<settings><localRepository>/r</localRepository>

<mirrors><mirror><url>https://m.example/maven</url></mirror></mirrors>
<profiles><profile><properties><a>b</a></properties></profile></profiles></settings>
`);
  });
});

describe('git', () => {
  const KEPT = `[user]
\tname = A. User
\temail = a@example.com
[alias]
\tlg = "log --graph ; # not a comment" # a comment
[url "git@github.com:"]
\tinsteadOf = https://github.com/
[core] autocrlf = input
\tpager
[commit]
\tgpgsign = true ; why
`;
  const listed = (text: string) => {
    const file = join(mkdtempSync(join(tmpdir(), 'cordon-gitconfig-')), 'config');
    writeFileSync(file, text);
    return spawnSync('git', ['config', '--file', file, '--list', '-z'], { encoding: 'utf8' }).stdout;
  };

  it('git reads the same of what has no log-ins', () => {
    expect(listed(clean('.gitconfig', KEPT) ?? '')).toBe(listed(KEPT));
  });

  it.each([
    ['a header', '[http "https://example.com"]\n\textraHeader = Authorization: Basic CANARY\n'],
    ['a token', '[github]\n\ttoken = CANARY\n'],
    ['a key on its section\u2019s line', '[github] token = CANARY\n'],
    ['a password', '[sendemail]\n\tsmtpPass = CANARY\n'],
    ['an address with a token as its name', '[remote "x"]\n\turl = https://CANARY@example.com/x\n'],
    ['a section about such an address', `[url "${LOGGED_IN}example.com/"]\n\tinsteadOf = https://example.com/\n`],
    ['a value that goes on', '[http]\n\textraHeader = Authorization: \\\n  Basic CANARY\n'],
    ['a comment', '# token = CANARY\n'],
  ])('%s is left out, and git reads the rest', (_, secret) => {
    const text = clean('.gitconfig', `${KEPT}${secret}${KEPT}`) ?? '';
    expect(text).not.toContain('CANARY');
    expect(listed(text).match(/user\.email\na@example\.com/g)).toHaveLength(2);
  });

  it('is read as git reads it, whatever is written', () => {
    const words = ['[a]', '[a "b"]', 'k', ' = ', 'v', '"', '\\', '\n', ' ', '#', ';', '\\n', '\t', 'x y'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 14 }), (parts) => {
        const text = parts.join('');
        const kept = clean('.gitconfig', text);
        if (kept !== undefined) expect(listed(kept)).toBe(listed(text));
      }),
      { numRuns: 60 },
    );
  });
});

describe('files that are not what they are called', () => {
  const HOSTILE = {
    binary: '\0\x01\x02ELF',
    'a long line': `${'a'.repeat(1 << 18)}`,
    'many spaces': `a${' '.repeat(1 << 17)}b${' '.repeat(1 << 17)}"`,
    'deep lists': `${'- '.repeat(1 << 16)}a`,
    'deep brackets': `a = ${'['.repeat(1 << 17)}`,
    'deep JSON': '['.repeat(1 << 17),
    'deep XML': '<a>'.repeat(1 << 16),
    'many dots': `a${'.a'.repeat(1 << 16)} = 1`,
    'many lines': 'a = [\n'.repeat(1 << 15),
    'many addresses': `a: ${'://x@'.repeat(1 << 15)}`,
    'an anchor': 'a: &b c\nd: *b\n',
    'an entity': '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  };
  describe.each(SETTINGS.map((kind) => [kind.places[0] ?? '', kind] as const))('%s', (_, kind) => {
    it.each(Object.entries(HOSTILE))('%s: understood or not, within a second', (_name, text) => {
      const start = process.cpuUsage();
      cleaned(text, kind.clean);
      const { user } = process.cpuUsage(start);
      expect(user).toBeLessThan(1_000_000);
    });
  });

  it('no secret of a known form comes through any of them', () => {
    const around = fc.constantFrom(
      '',
      ' ',
      '\n',
      '\n  ',
      ': ',
      '=',
      '"',
      "'",
      '- ',
      '[',
      ']',
      '{',
      '<a>',
      '</a>',
      ' # ',
      ' a ',
      '\\',
      ',',
    );
    fc.assert(
      fc.property(fc.array(around, { maxLength: 12 }), fc.array(around, { maxLength: 12 }), (before, behind) => {
        const text = [...before, TOKEN, ...behind].join('');
        for (const kind of SETTINGS) expect(cleaned(text, kind.clean) ?? '').not.toContain(TOKEN);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('log-ins where nobody looks for them', () => {
  it.each([
    '[alias]\n\tx = !curl -H "Authorization: Bearer hunter2" https://api.example\n',
    "[alias]\n\tx = !curl -H 'Authorization: token abc' https://api.example\n",
    '[alias]\n\tx = !http api.example "Cookie: sid=abc"\n',
    '[github]\n\toauth = hunter2\n',
    '[some]\n\tthing = q7Zk2Lw9Xb4Nc8Vd1Rf6\n',
    '[alias]\n\tx = !deploy --with q7Zk2Lw9Xb4Nc8Vd1Rf6\n',
  ])('%s goes', (text) => expect(clean('.gitconfig', text)).toBe(''));

  it.each([
    ['alias', 'co', 'checkout'],
    ['alias', 'api', '!curl -H \\"Authorization: Bearer $TOKEN\\" https://api.example'],
    ['alias', 'lg', "log --graph --pretty=format:'%Cred%h%Creset -%C(yellow)%d%Creset %s'"],
    ['core', 'sshcommand', 'ssh -o ConnectTimeout=5 -i ~/.ssh/id_work'],
    ['http', 'proxyauthmethod', 'basic'],
    ['core', 'sshcommand', 'ssh -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=~/.ssh/known_hosts'],
    ['filter "lfs"', 'process', 'git-lfs filter-process'],
    ['user', 'signingkey', 'A1B2C3D4E5F60718293A4B5C6D7E8F9012345678'],
  ])('[%s] %s stays', (section, key, value) => {
    const text = `[${section}]\n\t${key} = "${value}"\n`;
    expect(clean('.gitconfig', text)).toBe(text);
  });

  it('names of clusters stay', () => {
    const text = 'current-context: arn:aws:eks:us-east-1:123456789012:cluster/prod-eu-2\n';
    expect(clean('.kube/config', text)).toBe(text);
  });
});

describe('log-ins that stand elsewhere than by themselves', () => {
  const CUSTOMER = 'Zk4WhVq8mXc2Bd1R';
  it.each([
    ['.npmrc', `registry=https://npm.example/${CUSTOMER}/org/\n`, 'registry=https://npm.example/org/\n'],
    [
      '.config/pip/pip.conf',
      `[global]\nindex-url = https://dl.example/${CUSTOMER}/org/simple/\n`,
      'https://dl.example/org/simple/',
    ],
    [
      '.config/pip/pip.conf',
      '[global]\nfind-links = https://b.example/x?X-Amz-Date=1&X-Amz-Signature=CANARY\n',
      'https://b.example/x',
    ],
    [
      '.cargo/config.toml',
      `[registries.corp]\nindex = "sparse+https://dl.example/${CUSTOMER}/cargo/"\n`,
      'sparse+https://dl.example/cargo/',
    ],
    [
      '.m2/settings.xml',
      `<settings><url>https://dl.example/${CUSTOMER}/maven/</url></settings>`,
      'https://dl.example/maven/',
    ],
    ['.gitconfig', `[remote "x"]\n\turl = https://dl.example/${CUSTOMER}/git/\n`, 'https://dl.example/git/'],
  ])('in the path or the query of an address: %s %j', (place, text, kept) => {
    expect(clean(place, text)).toContain(kept);
    expect(clean(place, text)).not.toMatch(/CANARY|Zk4W/);
  });

  it.each([
    '[env.GH_THING_TOKEN]\nvalue = "CANARY"',
    '[registries.corp]\ncredential-provider = ["cargo:token-from-stdout", "echo", "CANARY"]',
    '[registry]\nglobal-credential-providers = ["echo CANARY"]',
    '[alias]\npub = "publish --token CANARY"',
    '[target.x]\nrunner = "env API_KEY=CANARY x"',
    '[credential-alias]\nx = ["echo", "CANARY"]',
  ])('cargo: %s', (text) => expect(clean('.cargo/config.toml', `${text}\n`)).not.toContain('CANARY'));

  it("cargo's own providers and plain variables stay", () => {
    const text =
      '[registry]\nglobal-credential-providers = ["cargo:token", "cargo:libsecret"]\n[env]\nRUST_LOG = "info"\n';
    expect(clean('.cargo/config.toml', text)).toBe(text);
  });

  it.each([
    '[filter "x"]\n\tclean = openssl enc -k CANARY',
    '[filter "x"]\n\tsmudge = openssl enc -d -pass CANARY',
    '[core]\n\taskpass = echo CANARY',
    '[sendemail]\n\tsmtpserver = /usr/bin/msmtp --password CANARY',
    '[diff "x"]\n\ttextconv = env KEY=CANARY x',
  ])('git: %s', (text) => expect(clean('.gitconfig', `${text}\n`)).not.toContain('CANARY'));

  it.each(['clean = git-lfs clean -- %f', 'smudge = nbstripout -t', 'process = git-lfs filter-process'])(
    'git keeps %s',
    (line) => expect(clean('.gitconfig', `[filter "x"]\n\t${line}\n`)).toContain(line.split(' = ')[1]),
  );

  it.each([
    'SetEnv DEPLOY=CANARY',
    'SetEnv LANG=C API_TOKEN=CANARY',
    'RemoteCommand THING=CANARY sh',
    'LocalCommand notify --token CANARY',
    'ProxyCommand sshpass -p CANARY ssh y',
    'Match exec "check --password CANARY"\n  User CANARY',
  ])('ssh: %s', (line) => {
    const copy = clean('.ssh/config', `Host a\n  Port 22\n  ${line}\nHost b\n  Port 23\n`);
    expect(copy).toBe('Host a\n  Port 22\nHost b\n  Port 23\n');
  });

  it.each([
    'SetEnv LANG=C.UTF-8',
    'RemoteCommand tmux attach',
    'ProxyCommand ssh -W %h:%p jump',
    'ProxyJump ada@jump.example',
  ])('ssh keeps %s', (line) => expect(clean('.ssh/config', `Host a\n  ${line}\n`)).toBe(`Host a\n  ${line}\n`));
});
