import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome, type Ran, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

/** A home of its own, with these files in it. */
function homeWith(files: Readonly<Record<string, string | object>>, user: User = 'root'): string {
  const home = freshHome(user);
  const { uid, gid } = identityOf(user);
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    for (let at = path; at !== home; at = dirname(at)) chownSync(at, uid, gid);
  }
  return home;
}

/** A secret that looks like one and is none. */
const CANARY = ['ghp', 'Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8'].join('_');

interface Report {
  readonly imports: readonly {
    readonly format: string;
    readonly profile: string;
    readonly written: string | null;
    readonly rows: readonly { readonly key: string; readonly fate: string }[];
    readonly refused: readonly string[];
    readonly credentials: readonly string[];
  }[];
  readonly stored: readonly string[];
}

const reportOf = ({ stdout }: Ran) => JSON.parse(stdout) as Report;

const FILES: Readonly<Record<string, [string, string | object]>> = {
  codex: ['x/config.toml', '[shell_environment_policy]\ninherit = "core"\n'],
  gemini: ['x/settings.json', { security: { environmentVariableRedaction: { enabled: false } } }],
  claude: ['x/settings.json', { permissions: { allow: ['Bash(ls)'] }, env: { A: '1' } }],
  srt: [
    'x/s.json',
    {
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowWrite: ['.'], denyWrite: [] },
    },
  ],
  nono: ['x/p.json', { meta: { name: 'p' }, environment: { allow_vars: ['PATH'] }, workdir: { access: 'readwrite' } }],
  ixt: [
    'x/ixt.toml',
    '[tools.ruff]\nsource = "pypi"\nenv_base = "os-common"\nenv_allow = ["*RUFF*"]\n[tools.ruff.env_deny]\n"*TOKEN*" = { except = ["GH_TOKEN"] }\n',
  ],
  ag3ntum: ['x/secrets.yaml', 'sandboxed_envs:\n  SHARED: text\n'],
  names: ['x/env_allowlist.py', 'ALLOWED = {"PATH", "NODE_ENV", "NPM_CONFIG_*"}\nDENIED = ("KEY", "TOKEN")\n'],
  devcontainer: [
    'x/devcontainer.json',
    { image: 'x', containerEnv: { A: '1' }, remoteEnv: { EDITOR: `$${'{localEnv:EDITOR}'}` } },
  ],
  compose: [
    'x/compose.yaml',
    'services:\n  web:\n    image: x\n    environment:\n      A: "1"\n      HOST_NAME:\n    network_mode: none\n',
  ],
  'env-file': ['x/.env', 'A=1\nexport B="two words"\nKEY=op://vault/item/field\n'],
  firejail: [
    'x/app.profile',
    `include disable-common.inc\nblacklist $${'{HOME}'}/private\nnet none\nenv A=1\nrmenv B\ncaps.drop all\n`,
  ],
};

describe.each(USERS)('cordon import, as %s', (user) => {
  test.each(Object.entries(FILES))('knows %s by its contents', (format, [name, content]) => {
    const home = homeWith({ [name]: content }, user);
    const report = reportOf(runCordon(['import', join(home, name), '--dry-run', '--json'], { user, home }));
    expect(report.imports[0]).toMatchObject({ format, written: null });
  });

  test('what it writes is a profile, and a child gets just that', () => {
    const config = '[shell_environment_policy]\ninherit = "all"\nexclude = ["foo*"]\nset = { ADDED = "$HOME" }\n';
    const home = homeWith({ 'codex.toml': `sandbox_mode = "danger-full-access"\n${config}` }, user);
    const ran = runCordon(['import', join(home, 'codex.toml'), '--name', 'mine'], { user, home });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const env = { FOO_A: '1', Foo: '2', BAR: '3', LD_PRELOAD: '/nonexistent' };
    const child = runCordon(['run', '--profile', 'mine', '--', 'env'], { user, home, env });
    const lines = child.stdout.split('\n');
    expect(lines).toContain('BAR=3');
    expect(lines).toContain('ADDED=$HOME');
    expect(child.stdout).not.toMatch(/^(FOO|Foo|LD_PRELOAD)/m);
    expect(runCordon(['profile', 'validate', 'mine'], { user, home }).code).toBe(0);
  });

  test('credentials in a file go into the vault on request, and are seen nowhere', () => {
    const home = homeWith({ '.env': `PLAIN=1\nGH_TOKEN=${CANARY}\n` }, user);
    const ran = runCordon(['import', join(home, '.env'), '--name', 'e', '--vault'], { user, home });
    expect(ran.stdout).toContain('stored in the vault: GH_TOKEN');
    const profile = readFileSync(join(home, '.config/cordon/profiles/e.jsonc'), 'utf8');
    const json = runCordon(['import', join(home, '.env'), '--dry-run', '--json'], { user, home });
    for (const text of [ran.stdout, ran.stderr, profile, json.stdout, json.stderr]) expect(text).not.toContain(CANARY);
    const child = runCordon(['run', '--profile', 'e', '--', 'sh', '-c', 'echo $GH_TOKEN $PLAIN'], { user, home });
    expect(child.stdout).toBe(`${CANARY} 1\n`);
    const again = runCordon(['import', join(home, '.env'), '--name', 'f'], { user, home });
    expect(again.stdout).toContain('in the vault already, and left as it is: GH_TOKEN');
    expect(again.stdout).not.toContain('not in the vault yet');
  });
});

describe('what would be wider', () => {
  const settings = { sandbox: { enabled: true }, permissions: { deny: ['Bash(rm:*)'] } };

  test('is refused as a whole, until each point is accepted by its name', () => {
    const home = homeWith({ 'settings.json': settings });
    const path = join(home, 'settings.json');
    const refused = runCordon(['import', path, '--name', 'c'], { home });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("--accept 'permissions.deny(Bash(rm:*))'");
    expect(existsSync(join(home, '.config/cordon/profiles'))).toBe(false);
    const one = ['--accept', 'permissions.deny(Bash(rm:*))'];
    expect(runCordon(['import', path, '--name', 'c', ...one], { home }).code).toBe(1);
    const both = [...one, '--accept', '(write protection)'];
    expect(runCordon(['import', path, '--name', 'c', ...both], { home }).code).toBe(0);
    expect(readFileSync(join(home, '.config/cordon/profiles/c.jsonc'), 'utf8')).toContain('wider (accepted)');
  });

  test('a point that nobody waits for is a mistake', () => {
    const home = homeWith({ 'settings.json': settings });
    const ran = runCordon(['import', join(home, 'settings.json'), '--accept', 'nope'], { home });
    expect(ran.code).toBe(125);
    expect(ran.stderr).toContain('no such point');
  });

  test('of several files nothing is written when one is refused', () => {
    const home = homeWith({ '.claude/settings.json': settings, '.codex/config.toml': 'sandbox_mode = "read-only"\n' });
    const ran = runCordon(['import', '--json'], { home });
    expect(ran.code).toBe(1);
    expect(reportOf(ran).imports.map(({ written }) => written)).toEqual([null, null]);
    expect(existsSync(join(home, '.config/cordon/profiles'))).toBe(false);
  });
});

describe('finding, naming, writing', () => {
  test('without a file it takes what is here and on this machine', () => {
    const home = homeWith({
      '.codex/config.toml': 'sandbox_mode = "read-only"\n',
      '.config/nono/profiles/mine.json': { workdir: { access: 'read' } },
      '.config/firejail/tool.profile': 'net none\n',
      'w/.env': 'A=1\n',
    });
    const report = reportOf(runCordon(['import', '--json'], { home, cwd: join(home, 'w') }));
    expect(report.imports.map(({ format, profile }) => `${format} ${profile}`).toSorted()).toEqual([
      'codex from-codex',
      'env-file env-project',
      'firejail tool',
      'nono mine',
    ]);
    const again = runCordon(['import'], { home, cwd: join(home, 'w') });
    expect(again).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('there is a profile of that name already'),
    });
    expect(runCordon(['import', '--force'], { home, cwd: join(home, 'w') }).code).toBe(0);
  });

  test('nothing to be found is said', () => {
    expect(runCordon(['import'], { home: homeWith({}) })).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('no other tool'),
    });
  });

  test('a file with several parts needs --only', () => {
    const home = homeWith({
      'compose.yaml': 'services:\n  a: { environment: { X: "1" } }\n  b: { environment: { Y: "1" } }\n',
    });
    const path = join(home, 'compose.yaml');
    expect(runCordon(['import', path], { home })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('give --only a or b'),
    });
    expect(runCordon(['import', path, '--only', 'b', '--name', 'b'], { home }).code).toBe(0);
  });

  test('a base of nono that lies beside is taken in, one that is not makes it narrower', () => {
    const child = { extends: ['base', 'claude-code'], environment: { allow_vars: ['AWS_*'] } };
    const home = homeWith({ 'p/base.json': { environment: { allow_vars: ['PATH'] } }, 'p/child.json': child });
    const ran = runCordon(['import', join(home, 'p/child.json'), '--name', 'n', '--json'], { home });
    expect(reportOf(ran).imports[0]?.rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'extends(base)', fate: 'same' }),
        expect.objectContaining({ key: 'extends(claude-code)', fate: 'narrower' }),
      ]),
    );
    expect(readFileSync(join(home, '.config/cordon/profiles/n.jsonc'), 'utf8')).toMatch(/"PATH",\s+"AWS_\*"/);
  });
});

describe('bad input', () => {
  const SECRET_LINE = `{"env": {"TOKEN": "${CANARY}",`;

  test.each<[string, string, string | object, string]>([
    ['broken JSON', 'settings.json', `${SECRET_LINE} "permissions": {"allow": [}`, 'the file is broken'],
    ['broken TOML', 'config.toml', `model = "${CANARY}\n[x`, 'the file is broken'],
    ['broken YAML', 'compose.yaml', `a: [1\nb: ${CANARY}`, 'the file is broken'],
    ['an empty file', 'settings.json', '  \n', 'the file is empty'],
    ['a file of nobody', 'notes.json', { hello: 'world' }, 'no tool is known'],
    ['a mixed file', 'mixed.json', { sandbox_mode: 'read-only', permissions: { allow: [] } }, 'codex or of claude'],
    ['a binary file', 'config.toml', 'a = "\0"', 'binary'],
    ['a huge file', 'config.toml', `a = "${'x'.repeat(1 << 20)}"`, 'larger than'],
    ['a deep file', 'settings.json', `{"permissions":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'the file is broken'],
  ])('%s is refused, and nothing of it is quoted', (_, name, content, message) => {
    const home = homeWith({ [name]: content });
    const ran = runCordon(['import', join(home, name), '--vault'], { home });
    expect(ran).toMatchObject({ code: 125, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain(CANARY);
    expect(existsSync(join(home, '.config/cordon/profiles'))).toBe(false);
  });

  const STRUCTURED = ['codex', 'gemini', 'claude', 'srt', 'nono', 'ixt', 'ag3ntum', 'devcontainer', 'compose'];
  const OF_LINES = ['env-file', 'firejail', 'names'];

  test.each([...STRUCTURED, ...OF_LINES])('what is no policy of %s is refused, and no profile is written', (format) => {
    const home = homeWith({ garbage: 'total garbage !!! {{{\n', nothing: '{}', other: '{"nobody": 1}', 'a.txt': '12' });
    for (const file of ['/etc/passwd', ...['garbage', 'nothing', 'other', 'a.txt'].map((name) => join(home, name))]) {
      const ran = runCordon(['import', '--as', format, file], { home });
      expect(ran, `${format} ${file}`).toMatchObject({ code: 125, stdout: '' });
      expect(ran.stderr).toContain(file);
    }
    expect(existsSync(join(home, '.config/cordon/profiles'))).toBe(false);
  });

  test('where a file stops being what --as says, the line and what was expected are said', () => {
    const home = homeWith({ 'x.json': '{}', config: 'model = "a"\nsandbox_mode = read only\n' });
    const ran = runCordon(['import', '--as', 'codex', join(home, 'config')], { home });
    expect(ran.stderr).toMatch(/config:2:\d+: the file is not TOML/);
    expect(ran.stderr).toContain('Codex reads TOML');
  });

  test('--as tells how a file is written, whatever its name ends with', () => {
    const home = homeWith({ policy: 'sandbox_mode = "read-only"\n' });
    const ran = runCordon(['import', '--as', 'codex', join(home, 'policy'), '--dry-run', '--json'], { home });
    expect(reportOf(ran).imports[0]?.rows).toContainEqual(expect.objectContaining({ key: 'sandbox_mode' }));
  });

  test('a file that others could have written, or that is none, is refused', () => {
    const home = homeWith({ 'config.toml': 'sandbox_mode = "read-only"\n' });
    chmodSync(join(home, 'config.toml'), 0o666);
    expect(runCordon(['import', join(home, 'config.toml')], { home })).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('another user'),
    });
    symlinkSync('/dev/zero', join(home, 'endless.toml'));
    expect(runCordon(['import', join(home, 'endless.toml')], { home }).code).toBe(125);
    expect(runCordon(['import', join(home, 'missing.toml')], { home }).code).toBe(125);
  });

  test('hostile keys and values end up nowhere but in a row', () => {
    const hostile = {
      __proto__x: 1,
      'a\n}*/ "environment": {}': 1,
      '\u001b[2J': 1,
      environment: {
        allow_vars: ['PATH', 'A*B', 'LD_PRELOAD', '@proxy'],
        set_vars: { 'X Y': '1', LD_PRELOAD: '/x', A: '$(id)' },
      },
      filesystem: { allow: ['../../etc', '/a\0b', '$SECRET/x'], deny: ['/'] },
      network: { allow_domain: ['https://u:p@h/', 'a b', '*'] },
      env_credentials: { 'cmd://x': 'A', 'a b': 'B', k: 'PATH' },
    };
    const text = JSON.stringify(hostile).replace('__proto__x', '__proto__');
    const home = homeWith({ 'p.json': text });
    const json = runCordon(['import', join(home, 'p.json'), '--dry-run', '--json'], { home });
    const keys = reportOf(json).imports[0]?.refused ?? [];
    const accepts = keys.flatMap((key) => ['--accept', key]);
    const ran = runCordon(['import', join(home, 'p.json'), '--name', 'h', ...accepts], { home });
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toContain('\u001b');
    const shown = runCordon(['profile', 'show', 'h', '--json'], { home });
    expect(shown.code).toBe(0);
    expect(shown.stdout).not.toMatch(/\/etc|LD_PRELOAD=|cmd:/);
    const child = runCordon(['explain', '--profile', 'h', '--json', 'HOME', 'PATH'], { home });
    expect(JSON.parse(child.stdout)).toMatchObject([{ verdict: 'drop' }, { verdict: 'pass' }]);
  });
});

describe('readings that could go wrong', () => {
  const imported = (file: string, content: object, ...flags: string[]) => {
    const home = homeWith({ [file]: content });
    return JSON.parse(runCordon(['import', join(home, file), '--dry-run', '--json', ...flags], { home }).stdout)
      .imports[0];
  };
  const written = (file: string, content: object, accept: readonly string[]) => {
    const home = homeWith({ [file]: content });
    const accepts = accept.flatMap((key) => ['--accept', key]);
    runCordon(['import', join(home, file), '--name', 'x', ...accepts], { home });
    return readFileSync(join(home, '.config/cordon/profiles/x.jsonc'), 'utf8');
  };

  test('a path that Claude Code denies is denied as an absolute one, and as earlier versions read it', () => {
    const sandbox = {
      enabled: true,
      filesystem: { denyRead: ['/etc/secrets'], allowWrite: ['/srv/out', '//srv/two', 'x'] },
    };
    const text = written('settings.json', { sandbox }, ['(write protection)']);
    for (const path of ['/etc/secrets', '$WORKDIR/etc/secrets', '/srv/out', '/srv/two', '$WORKDIR/x'])
      expect(text).toContain(`"${path}"`);
    const rule = { permissions: { deny: ['Read(/secrets/**)', 'Read(//etc/x)'] } };
    expect(written('settings.json', rule, [])).toMatch(/"\$WORKDIR\/secrets",\s+"\/etc\/x"/);
  });

  test("Codex's filters are its two lists, and its proxy restricts a network that is on", () => {
    const codex = {
      shell_environment_policy: { filters: { 'AWS_*': 'exclude', 'MY?': 'include' } },
      sandbox_workspace_write: { network_access: true },
      features: { network_proxy: { enabled: true, domains: { 'example.com': 'allow' } }, plan: true },
    };
    const text = written('c.json', codex, []);
    expect(text).toMatch(/"deny_vars": \[\s+\{\s+"pattern": "AWS_\*"/);
    expect(text).toMatch(/"allow_patterns": \[\s+\{\s+"pattern": "MY\?"/);
    expect(text).toMatch(/"allow": \[\s+"example.com"\s+\]/);
    const mixed = { shell_environment_policy: { exclude: ['A'], filters: { B: 'include' } } };
    expect(imported('c.json', mixed).refused).toEqual(['shell_environment_policy.filters']);
    const both = {
      default_permissions: 'p',
      permissions: { p: { network: { enabled: true, domains: { 'a.example': 'allow' } } } },
      features: { network_proxy: { domains: { 'b.example': 'allow' } } },
    };
    expect(imported('c.json', both).refused).toEqual(['features.network_proxy.domains']);
    const bare = { sandbox_workspace_write: { network_access: true }, features: { network_proxy: true } };
    expect(written('c.json', bare, [])).toContain('"block": true');
  });

  test('what Claude Code keeps to its working folders shows nothing else', () => {
    const settings = {
      sandbox: { enabled: true, filesystem: { allowRead: ['~/notes'], denyWrite: ['./dist'] } },
      permissions: { blockReadsOutsideWorkingDirectories: true },
    };
    const text = written('settings.json', settings, ['(write protection)']).replace(/^\/\/.*$/gm, '');
    expect(text).toContain('"preset": "workspace"');
    expect(text).toContain('"$WORKDIR/dist"');
    expect(text).not.toContain('notes');
  });

  test('of nono: patterns anywhere in a name, in any case, and what it says for Linux', () => {
    const profile = {
      environment: { allow_vars: ['*_Host'], deny_vars: ['A[B?'], case_insensitive_vars: true },
      platform_overrides: { macos: { network: { block: false } }, linux: { network: { block: true } } },
    };
    const text = written('p.json', profile, []).replace(/^\/\/.*$/gm, '');
    const { environment, network } = JSON.parse(text);
    expect(environment.allow_patterns).toEqual([{ pattern: '*_Host', ignore_case: true }]);
    expect(environment.deny_vars).toEqual([{ pattern: 'A[[]B[?]', ignore_case: true }]);
    expect(network).toEqual({ block: true });
  });

  test('settings that only set variables are known by their name', () => {
    expect(imported('settings-bedrock.json', { env: { AWS_REGION: 'us-east-1' }, model: 'x' })).toMatchObject({
      format: 'claude',
    });
  });

  test('what nono only writes is no wider where it can be read anyway', () => {
    const profile = { filesystem: { write_file: ['$WORKDIR/a.json'], write: ['/srv'] }, workdir: { access: 'read' } };
    expect(imported('p.json', profile).refused).toEqual(['filesystem.write(/srv)']);
  });

  test('a list that is none has to be accepted, where it may restrict', () => {
    const codex = { shell_environment_policy: { include_only: 'PATH' } };
    expect(imported('c.json', codex).refused).toEqual(['shell_environment_policy.include_only']);
    const nono = { environment: { allow_vars: 'PATH' }, workdir: { access: 'none' } };
    expect(imported('n.json', nono).refused).toEqual(['environment.allow_vars']);
  });
});

describe('credentials that go to hosts', () => {
  const rowsAndProfile = (file: string, content: object, ...accept: string[]) => {
    const home = homeWith({ [file]: content });
    const accepts = accept.flatMap((key) => ['--accept', key]);
    const ran = runCordon(['import', join(home, file), '--name', 'x', '--json', ...accepts], { home });
    const text = readFileSync(join(home, '.config/cordon/profiles/x.jsonc'), 'utf8').replace(/^\/\/.*$/gm, '');
    return { rows: reportOf(ran).imports[0]?.rows ?? [], profile: JSON.parse(text) };
  };

  test('a service of nono becomes a placeholder for its host, its endpoints kept or the service left out', () => {
    const service = (rules: readonly object[]) => ({
      upstream: 'https://api.example.com',
      credential_key: 'account',
      env_var: 'EXAMPLE_KEY',
      inject_header: 'X-Key',
      endpoint_rules: rules,
    });
    const pairs = [
      { method: 'GET', path: '/a' },
      { method: 'POST', path: '/b' },
    ];
    const network = {
      credentials: ['one', 'two', 'three', 'four'],
      custom_credentials: {
        three: { ...service([]), env_var: 'THIRD_KEY', endpoint_policy: { default: 'deny' } },
        four: { ...service([]), env_var: 'FOURTH_KEY', rate_limit: { requests_per_minute: 1 } },
        one: service([{ method: 'GET', path: '/v1/**' }]),
        two: { ...service(pairs), env_var: 'OTHER_KEY' },
        unused: service([]),
      },
    };
    const { rows, profile } = rowsAndProfile('p.json', { workdir: { access: 'read' }, network });
    expect(profile.env_credentials).toEqual([
      {
        target: 'EXAMPLE_KEY',
        source: 'keyring://nono/account',
        for: ['api.example.com'],
        as: ['header x-key'],
        methods: ['GET'],
        paths: ['/v1/**'],
      },
    ]);
    expect(profile.network.allow).toEqual(['api.example.com']);
    const fates = Object.fromEntries(rows.map(({ key, fate }) => [key, fate]));
    expect(fates).toMatchObject({
      'network.custom_credentials.one': 'same',
      'network.custom_credentials.two': 'narrower',
      'network.custom_credentials.three': 'narrower',
      'network.custom_credentials.four': 'narrower',
      'network.custom_credentials.unused': 'same',
    });
  });

  test('a masked variable of srt becomes a placeholder, or is gone', () => {
    const mask = { mode: 'mask' };
    const settings = {
      network: { allowedDomains: ['api.example.com'], deniedDomains: [], tlsTerminate: {} },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      credentials: {
        envVars: [
          { name: 'A_TOKEN', ...mask },
          { name: 'B_TOKEN', ...mask, extract: '(x)' },
        ],
      },
    };
    const { profile } = rowsAndProfile('s.json', settings, '(write protection)');
    expect(profile.env_credentials).toEqual([{ target: 'A_TOKEN', source: 'env://A_TOKEN', for: ['api.example.com'] }]);
    expect(profile.environment.unset_vars).toEqual(['B_TOKEN']);
  });
});

describe('cordon export', () => {
  test('writes the file on stdout and the table on stderr, and it comes back', () => {
    const profile = {
      environment: { allow_vars: ['PATH', 'MYAPP_*'] },
      filesystem: { preset: 'minimal', read: ['/opt'] },
      network: { block: true },
    };
    const home = homeWith({ '.config/cordon/profiles/p.json': profile });
    const ran = runCordon(['export', '--as', 'nono', 'p'], { home });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      environment: { allow_vars: ['PATH', 'MYAPP_*'] },
      network: { block: true },
    });
    expect(ran.stderr).toContain('BECOMES');
    writeFileSync(join(home, 'back.json'), ran.stdout, { mode: 0o600 });
    expect(runCordon(['import', join(home, 'back.json')], { home }).code).toBe(0);
    const diff = runCordon(['profile', 'diff', 'p', 'back', '--json'], { home, env: { MYAPP_A: '1', OTHER: '2' } });
    expect(JSON.parse(diff.stdout).variables).toEqual([]);
  });

  test('nothing inherited stays nothing, also where an empty list means everything', () => {
    const home = homeWith({ '.config/cordon/profiles/p.json': { environment: { allow_vars: [], base: 'none' } } });
    const ran = runCordon(['export', '--as', 'nono', 'p', '--json'], { home });
    const report = JSON.parse(ran.stdout);
    const accepts = (report.refused as string[]).flatMap((key) => ['--accept', key]);
    const { environment } = JSON.parse(runCordon(['export', '--as', 'nono', 'p', ...accepts], { home }).stdout);
    expect(environment).toEqual({ allow_vars: [], deny_vars: ['*'] });
  });

  test('what would be wider there is refused, until it is accepted', () => {
    const home = homeWith({});
    const refused = runCordon(['export', '--as', 'srt', 'locked'], { home });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain("--accept 'environment'");
    const report = JSON.parse(runCordon(['export', '--as', 'srt', 'locked', '--json'], { home }).stdout);
    expect(report).toMatchObject({ as: 'srt', text: null });
    const accepts = (report.refused as string[]).flatMap((key) => ['--accept', key]);
    expect(runCordon(['export', '--as', 'srt', 'locked', ...accepts], { home }).code).toBe(0);
  });

  test.each([
    [['export', 'locked'], 'export needs a format'],
    [['export', '--as', 'nope', 'locked'], 'nope'],
    [['export', '--as', 'srt', 'nope'], 'no profile'],
  ])('%j is refused', (args, message) => {
    const ran = runCordon(args, { home: homeWith({}) });
    expect(ran.code).toBe(125);
    expect(ran.stderr).toContain(message);
  });
});
