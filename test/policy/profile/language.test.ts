import { describe, expect, test } from 'vitest';
import { showBytes } from '../../../src/host/bytes.ts';
import { allowed, Home } from './support.ts';

const WEB_JSON = `// A profile.
{
  "meta": { "name": "web" },
  "environment": {
    "base": "os-common",
    "allow_vars": ["NODE_ENV", "MYAPP_*"],
    "deny_vars": ["*TOKEN*", { "pattern": "MYAPP_*", "except": ["MYAPP_MODE"] }],
    "set_vars": { "EDITOR": "vi" },
    "guard": "strip",
  },
  "env_credentials": { "openai": "OPENAI_API_KEY", "env://SRC": "TARGET" },
  "filesystem": { "preset": "workspace", "write": ["/srv/x", "~/work/"], "read": ["/opt"], "hide": ["~"], "expose": ["~/.npmrc"] },
  "network": { "block": true },
  "isolation": "barrier",
  "redact": true,
}
`;

const WEB_TOML = `# A profile.
isolation = "barrier"
redact = true

[meta]
name = "web"

[environment]
base = "os-common"
allow_vars = ["NODE_ENV", "MYAPP_*"]
deny_vars = ["*TOKEN*", { pattern = "MYAPP_*", except = ["MYAPP_MODE"] }]
guard = "strip"

[environment.set_vars]
EDITOR = "vi"

[env_credentials]
openai = "OPENAI_API_KEY"
"env://SRC" = "TARGET"

[filesystem]
preset = "workspace"
write = ["/srv/x", "~/work/"]
read = ["/opt"]
hide = ["~"]
expose = ["~/.npmrc"]

[network]
block = true
`;

const WEB_YAML = `# A profile.
meta: { name: web }
environment:
  base: os-common
  allow_vars: [NODE_ENV, MYAPP_*]
  deny_vars:
    - "*TOKEN*"
    - pattern: MYAPP_*
      except: MYAPP_MODE
  set_vars:
    EDITOR: vi
  guard: strip
env_credentials:
  openai: OPENAI_API_KEY
  env://SRC: TARGET
filesystem:
  preset: workspace
  write: [/srv/x, ~/work/]
  read: [/opt]
  hide: ["~"]
  expose: [~/.npmrc]
network: { block: true }
isolation: barrier
redact: true
`;

describe('one schema, three syntaxes', () => {
  test.each([
    ['json', WEB_JSON, '6:20'],
    ['jsonc', WEB_JSON, '6:20'],
    ['toml', WEB_TOML, '10:15'],
    ['yaml', WEB_YAML, '5:16'],
    ['yml', WEB_YAML, '5:16'],
  ])('%s says the same, and where', async (extension, text, firstAllow) => {
    const home = new Home({ [`web.${extension}`]: text });
    const policy = await home.load('web');
    expect(policy.origin).toBe('profile web');
    expect(policy.base.preset).toBe('os-common');
    expect(allowed(policy)).toEqual(['NODE_ENV', 'MYAPP_*']);
    expect(policy.allow[0]?.origin).toBe(`${home.config}/profiles/web.${extension}:${firstAllow}`);
    expect(policy.deny.map(({ pattern, except }) => [pattern.source, except.map(({ source }) => source)])).toEqual([
      ['*TOKEN*', []],
      ['MYAPP_*', ['MYAPP_MODE']],
    ]);
    expect(policy.set.map(({ name, value }) => [name, value])).toEqual([['EDITOR', 'vi']]);
    expect(policy.credentials.map(({ target, source, sourceVariable }) => [target, source, sourceVariable])).toEqual([
      ['OPENAI_API_KEY', 'vault://openai', undefined],
      ['TARGET', 'env://SRC', 'SRC'],
    ]);
    expect(policy.filesystem).toEqual({
      preset: 'workspace',
      explicit: true,
      write: ['/srv/x', '/home/u/work'],
      read: ['/opt'],
      hide: ['/home/u'],
      expose: ['/home/u/.npmrc'],
      show: [],
      workspace: { mode: 'real' },
    });
    expect(policy).toMatchObject({
      guard: 'strip',
      network: { mode: 'off' },
      isolation: 'barrier',
      redact: true,
      warnings: [],
    });
    for (const rule of [...policy.allow, ...policy.deny, ...policy.set, ...policy.credentials]) {
      expect(rule.origin).toMatch(/web\.\w+:\d+:\d+$/);
    }
  });

  test('credentials as a list, also with a command in a profile of the own home', async () => {
    const home = new Home({
      'c.json': {
        env_credentials: [
          { target: 'A', source: 'a' },
          { target: 'B', command: ['pass', 'show', 'b'] },
        ],
      },
      'c2.toml':
        '[[env_credentials]]\ntarget = "A"\nsource = "op://v/i/f"\n[[env_credentials]]\ntarget = "B"\nsource = "env://X"\n',
    });
    const sources = async (name: string) => (await home.load(name)).credentials.map(({ source }) => source);
    expect(await sources('c')).toEqual(['vault://a', ['pass', 'show', 'b']]);
    expect(await sources('c2')).toEqual(['op://v/i/f', 'env://X']);
  });

  test('names that are not ASCII are matched as the bytes they are', async () => {
    const policy = await new Home().load({ environment: { allow_vars: ['GRÖSSE_*'] } });
    expect(showBytes(policy.allow[0]?.pattern.source as never)).toBe('GRÖSSE_*');
    expect(policy.allow[0]?.pattern.matches(Buffer.from('GRÖSSE_X').toString('latin1') as never)).toBe(true);
  });
});

describe('what is left out', () => {
  const base = async (environment?: object) => {
    const { base: found, allow } = await new Home().load({
      meta: { name: 't' },
      ...(environment === undefined ? {} : { environment }),
    });
    return [found.preset, allow.length];
  };
  test('no environment: everything', async () => expect(await base()).toEqual(['all', 0]));
  test('an environment without a list: everything', async () =>
    expect(await base({ deny_vars: ['X'] })).toEqual(['all', 0]));
  test('an empty list: nothing', async () => expect(await base({ allow_vars: [] })).toEqual(['none', 0]));
  test('a list: only that', async () => expect(await base({ allow_vars: ['A'] })).toEqual(['none', 1]));
  test('a base and a list: both', async () =>
    expect(await base({ base: 'os-common', allow_vars: ['A'] })).toEqual(['os-common', 1]));

  test('no filesystem: guarded, and it may degrade', async () => {
    expect((await new Home().load({})).filesystem).toMatchObject({ preset: 'guarded', explicit: false });
  });
  test('filesystem.allow without a preset: minimal', async () => {
    expect((await new Home().load({ filesystem: { allow: ['/usr'] } })).filesystem).toMatchObject({
      preset: 'minimal',
      explicit: true,
    });
  });
  test('filesystem.hide without a preset: guarded, and it never degrades', async () => {
    expect((await new Home().load({ filesystem: { hide: ['/srv'] } })).filesystem).toMatchObject({
      preset: 'guarded',
      explicit: true,
    });
  });
  test('the rest', async () => {
    expect(await new Home().load({})).toMatchObject({
      guard: 'off',
      network: { mode: 'on' },
      isolation: 'auto',
      redact: false,
    });
  });
});

describe('allow_vars that name what never passes', () => {
  test.each(['LD_PRELOAD', 'LD_*', 'LD_LIB*', 'NODE_OPTIONS', 'BASH_FUNC_*'])(
    '%s loads with a warning',
    async (entry) => {
      const { warnings } = await new Home().load({ environment: { allow_vars: [entry] } });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(`${entry} in allow_vars does nothing`);
    },
  );
  test.each(['PATH', 'L*', 'NODE_*', 'LDX', '*'])('%s does not warn', async (entry) => {
    expect((await new Home().load({ environment: { allow_vars: [entry] } })).warnings).toEqual([]);
  });
});
