import { describe, expect, it } from 'vitest';
import { check, findingsIn } from './support.ts';

describe('profiles', () => {
  it('a wildcard that admits credentials is reported with what it admits: set now, and well known', async () => {
    const profile = '{\n  "environment": { "allow_vars": ["PATH", "AWS_*", "MYAPP_*"] }\n}\n';
    const { findings } = await check(
      { 'web.json': profile },
      { env: { MYAPP_TOKEN: 'x', AWS_REGION: 'eu', AWS_SECRET_ACCESS_KEY: 'y' } },
    );
    expect(findings.map(({ rule, region, names }) => [rule, region?.line, region?.column, names])).toEqual([
      [
        'wildcard-admits-credentials',
        2,
        43,
        ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_BEARER_TOKEN_BEDROCK', 'AWS_SESSION_TOKEN'],
      ],
      ['wildcard-admits-credentials', 2, 52, ['MYAPP_TOKEN']],
    ]);
    expect(findings[0]?.message).toContain('set now: AWS_SECRET_ACCESS_KEY; well known: AWS_ACCESS_KEY_ID');
  });

  it.each([
    ['guard: strip holds them back', { environment: { guard: 'strip', allow_vars: ['AWS_*'] } }, []],
    ['guard: forbid too', { environment: { guard: 'forbid', allow_vars: ['AWS_*'] } }, []],
    [
      'so does denying them',
      { environment: { guard: 'off', allow_vars: ['AWS_*'], deny_vars: ['*KEY*', '*TOKEN*'] } },
      ['wildcard-without-guard'],
    ],
    [
      'an exception of the deny lets one through again',
      { environment: { allow_vars: ['AWS_*'], deny_vars: [{ pattern: '*', except: 'AWS_SESSION_TOKEN' }] } },
      ['wildcard-admits-credentials'],
    ],
    [
      'a look-alike admits nothing that is known',
      { environment: { allow_vars: ['AWSX_*'] } },
      ['wildcard-without-guard'],
    ],
    ['without a list everything passes', { meta: { name: 'x' } }, ['everything-passes']],
    ['base all too', { environment: { base: 'all', allow_vars: [] } }, ['everything-passes']],
    ['with a guard not', { environment: { guard: 'strip' } }, []],
    ['an empty list passes nothing', { environment: { allow_vars: [] } }, []],
    ['a credential by its name is chosen', { environment: { allow_vars: ['OPENAI_API_KEY'] } }, ['credential-by-name']],
    [
      'the code-injection list wins',
      { environment: { allow_vars: ['LD_PRELOAD', 'LD_*'] } },
      ['entry-does-nothing', 'entry-does-nothing'],
    ],
    [
      'what is set must be no credential',
      {
        environment: {
          allow_vars: [],
          set_vars: { A: `ghp_${'a1B2'.repeat(9)}`, DB_PASSWORD: 'correcthorse', LEVEL: 'info' },
        },
      },
      ['literal-credential', 'secret-in-plain-text'],
    ],
    [
      'a command as a source is told',
      { environment: { allow_vars: [] }, env_credentials: [{ target: 'X_KEY', command: ['pass', 'x'] }] },
      ['command-credential'],
    ],
  ])('%s', async (_, profile, rules) => {
    const found = await findingsIn('p.json', JSON.stringify(profile));
    expect(found.map((one) => one.split(' ')[1])).toEqual(rules);
  });

  it('a base decides along, and its own lines are found in its own file', async () => {
    const files = {
      'base.yaml': 'environment:\n  allow_vars: ["AWS_*"]\n',
      'child.toml': 'extends = "base"\n[environment]\nguard = "strip"\n',
    };
    const { findings } = await check(files);
    expect(findings.map(({ file, rule }) => [file, rule])).toEqual([['base.yaml', 'wildcard-admits-credentials']]);
  });

  it.each(['p.yaml', 'p.yml', 'p.toml', 'p.jsonc'])('%s: the same profile, the same finding', async (name) => {
    const text = {
      yaml: 'environment:\n  allow_vars: ["NPM_*"]\n',
      toml: '[environment]\nallow_vars = ["NPM_*"]\n',
      jsonc: '{ // c\n "environment": {"allow_vars": ["NPM_*"],},}',
    };
    const syntax = name.endsWith('yml') ? 'yaml' : (name.split('.')[1] as 'yaml');
    expect((await findingsIn(name, text[syntax]))[0]).toMatch(/^2:\d+ wildcard-admits-credentials$/);
  });
});

describe('cordon.toml', () => {
  const config =
    '[tools.ruff]\nenv_base = "none"\nenv_allow = ["AWS_*"]\n\n[tools.gh]\n[tools.gh.env_deny]\n"AWS_*" = {}\n\n[agents.mine]\nextra_keys = ["*", "LD_PRELOAD"]\n';

  it('tools and tables of agents', async () => {
    expect(await findingsIn('cordon.toml', config)).toEqual([
      '3:14 wildcard-admits-credentials',
      '5:8 everything-passes',
      '10:15 agent-wildcard',
      '10:20 entry-does-nothing',
    ]);
  });

  it('a credential in any table', async () => {
    const text = `[agents.mine]\ncommand = ["mine"]\ninstall = "Bearer ${'a1B2c3D4'.repeat(4)}"\n`;
    expect(await findingsIn('cordon.toml', text)).toEqual(['3:11 literal-credential']);
  });
});

describe('secrets.yaml', () => {
  it('is known by its names; no value is told', async () => {
    const text =
      'anthropic_api_key: "sk-ant-secret"\nsandboxed_envs:\n  PATH: "/value1"\n  ld_preload: "value2"\n  "a b": "value3"\n  CORDON_HOME: "value4"\n  GOOD_TOKEN: "value5"\n';
    const report = await check({ 'secrets.yaml': text });
    expect(report.findings.map(({ rule, names }) => [rule, names[0]])).toEqual([
      ['secrets-bad-name', 'PATH'],
      ['secrets-bad-name', 'ld_preload'],
      ['secrets-bad-name', 'a b'],
      ['secrets-bad-name', 'CORDON_HOME'],
    ]);
    expect(JSON.stringify(report)).not.toMatch(/value\d|sk-ant/);
  });

  it.each([
    ['a number', 'sandboxed_envs:\n  A: 12345678\n', '2:6: the value of A is a number, not text'],
    ['a list', 'sandboxed_envs:\n  A: [s3cretvalue]\n', '2:6: the value of A is a list, not text'],
    ['true', 'sandboxed_envs:\n  A: true\n', '2:6: the value of A is true or false, not text'],
    ['nothing', 'sandboxed_envs:\n  A:\n', 'the value of A is nothing (null), not text'],
    ['an unknown key', 'sandbox_envs:\n  A: "x"\n', "1:1: unknown key 'sandbox_envs'"],
    ['no map', 'sandboxed_envs: s3cretvalue\n', '1:17: sandboxed_envs must hold names and values'],
    ['broken YAML', 'sandboxed_envs:\n  A: "s3cretvalue\n  B: *s3cretvalue\n', 'this is not valid YAML'],
  ])('%s is an error that names the key, never the value', async (_, text, expected) => {
    const { troubles } = await check({ 'secrets.yaml': text });
    const told = troubles.flatMap(({ errors }) => errors).map(({ where, message }) => `${where}: ${message}`);
    expect(told.join('\n')).toContain(expected);
    expect(JSON.stringify([troubles, told])).not.toMatch(/12345678|s3cret/);
  });
});

describe('sandbox allowlists', () => {
  it('an entry that is denied, exceptions that are in force and that are not possible', async () => {
    const list = {
      addToAllowlist: ['CI', 'KEYBOARD_LAYOUT', 'MY_API_KEY', 'CARGO_*', 'NODE_OPTIONS', 'A*B', 'MONKEY_PATCH'],
      exceptions: [
        { name: 'KEYBOARD_LAYOUT', reason: 'the layout of the test display' },
        { name: 'MY_API_KEY', reason: 'please' },
        { name: 'X' },
      ],
    };
    const { findings } = await check({ 'allowlist.json': JSON.stringify(list) });
    expect(findings.map(({ rule, names }) => `${rule} ${names.join()}`)).toEqual([
      'allowlist-entry-denied MY_API_KEY',
      'allowlist-entry-denied NODE_OPTIONS',
      'allowlist-entry-denied A*B',
      'allowlist-entry-denied MONKEY_PATCH',
      'exception-in-force KEYBOARD_LAYOUT',
      'bad-exception MY_API_KEY',
      'bad-exception X',
    ]);
  });

  it('a list of names, one a line', async () => {
    expect(await findingsIn('sandbox-allowlist.txt', '# names\nCI\n  GH_PAT # no\n')).toEqual([
      '3:3 allowlist-entry-denied',
    ]);
  });

  it('an entry that is no text is refused', async () => {
    expect((await check({ 'allowlist.yaml': 'addToAllowlist: [CI, 5]\n' })).troubles).toHaveLength(1);
  });
});

describe('lists of variables', () => {
  it('defaults that are credentials, and credentials declared public', async () => {
    const text = [
      '# a schema',
      `API=ghp_${'a1B2'.repeat(9)}`,
      'DB_PASSWORD=changeme',
      'ADMIN_PASSWORD="correcthorse"',
      'export S_SECRET=$S',
      '# @public',
      'SESSION_SECRET=',
      '# @sensitive',
      'OTHER_SECRET=',
      'LOG=info # x',
      'URL=postgres://user:password@localhost/db',
      'URL2=postgres://app:x9Kd72mQ@db/app',
      'MAX_TOKENS=4096',
    ].join('\n');
    expect(await findingsIn('.env.schema', text)).toEqual([
      '2:1 literal-credential',
      '4:1 secret-in-plain-text',
      '7:1 credential-declared-public',
      '12:1 literal-credential',
    ]);
  });
});
