import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/decide/decide.ts';
import { wildcardWarnings } from '../../../src/decide/wildcard-warnings.ts';
import { ParentEnv } from '../../../src/host/parent-env.ts';
import { DEFAULT_POLICY } from '../../../src/policy/policy.ts';
import { loadPolicy } from '../../../src/policy/profile/load-policy.ts';
import { BUILT_IN_PROFILES } from '../../../src/policy/profiles/index.ts';

const NAMES = [
  'default',
  'agent',
  'claude-code',
  'codex',
  'gemini',
  'node-dev',
  'python-dev',
  'rust-dev',
  'go-dev',
  'ci',
  'locked',
];

const SECRETS = {
  ...{
    AWS_SECRET_ACCESS_KEY: 's',
    GITHUB_TOKEN: 's',
    NPM_TOKEN: 's',
    DATABASE_URL: 'postgres://u:p@h/d',
    STRIPE_SECRET_KEY: 's',
  },
  ...{
    NPM_CONFIG__AUTH: 's',
    CARGO_REGISTRY_TOKEN: 's',
    CI_JOB_TOKEN: 's',
    PIP_INDEX_URL: 'https://u:p@h/',
    GOPROXY: 'https://u:p@h/',
  },
  ...{
    LD_PRELOAD: 's',
    NODE_OPTIONS: 's',
    ACTIONS_RUNTIME_TOKEN: 's',
    GITHUB_ENV: 's',
    GITHUB_PATH: 's',
    CORDON_HOME: 's',
  },
};
const KEYS = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' };

async function passed(profile: string, variables: Record<string, string>): Promise<string[]> {
  const policy = await loadPolicy({ profile, home: '/home/u' });
  const decisions = decide(policy, ParentEnv.fromRecord(variables));
  return decisions.filter(({ verdict }) => verdict === 'pass').map(({ name }) => name);
}

describe('the built-in profiles', () => {
  test.each(['node-dev', 'python-dev', 'rust-dev', 'go-dev', 'ci'])(
    '%s passes what says where certificates lie, as a plain run does',
    async (name) => {
      const paths = { NODE_EXTRA_CA_CERTS: '/ca.pem', SSL_CERT_FILE: '/ca.pem', CARGO_HTTP_CAINFO: '/ca.pem' };
      expect((await passed(name, paths)).toSorted()).toEqual(Object.keys(paths).toSorted());
    },
  );

  test('are these', () => expect(Object.keys(BUILT_IN_PROFILES)).toEqual(NAMES));

  test.each(NAMES)('%s says what it is for, and lets no secret of the shell through', async (name) => {
    expect(BUILT_IN_PROFILES[name]?.meta?.name).toBe(name);
    expect(BUILT_IN_PROFILES[name]?.meta?.description?.length).toBeGreaterThan(20);
    expect(await passed(name, SECRETS)).toEqual([]);
  });

  test.each([
    ['default', []],
    ['agent', []],
    ['claude-code', ['ANTHROPIC_API_KEY']],
    ['codex', ['OPENAI_API_KEY']],
    ['gemini', ['GEMINI_API_KEY']],
    ['node-dev', []],
    ['ci', []],
    ['locked', []],
  ])('%s gets of all keys %j', async (name, keys) => expect(await passed(name, KEYS)).toEqual(keys));

  test.each(NAMES.filter((name) => name !== 'locked'))('%s passes what every program needs', async (name) => {
    expect(await passed(name, { PATH: '/bin', HOME: '/h', LANG: 'C', TERM: 'xterm' })).toEqual([
      'HOME',
      'LANG',
      'PATH',
      'TERM',
    ]);
  });

  test('locked: nothing inherited, no network, the barrier or nothing', async () => {
    expect(await passed('locked', { PATH: '/bin', HOME: '/h', ...SECRETS, ...KEYS })).toEqual([]);
    const policy = await loadPolicy({ profile: 'locked' });
    expect(policy).toMatchObject({
      network: { mode: 'off' },
      isolation: 'barrier',
      filesystem: { preset: 'workspace', explicit: true },
    });
  });

  test.each(NAMES)('%s loads where no home folder is known', async (name) => {
    await expect(loadPolicy({ profile: name })).resolves.toBeDefined();
  });

  test('an agent and a language add up, in either order', async () => {
    const variables = {
      PATH: '/bin',
      GIT_AUTHOR_NAME: 'u',
      NODE_ENV: 'test',
      ANTHROPIC_API_KEY: 'a',
      LC_TIME: 'C',
      GITHUB_TOKEN: 's',
    };
    const expected = ['ANTHROPIC_API_KEY', 'GIT_AUTHOR_NAME', 'LC_TIME', 'NODE_ENV', 'PATH'];
    for (const profile of [
      ['claude-code', 'node-dev'],
      ['node-dev', 'claude-code'],
    ]) {
      const decisions = decide(await loadPolicy({ profile }), ParentEnv.fromRecord(variables));
      expect(decisions.filter(({ verdict }) => verdict === 'pass').map(({ name }) => name)).toEqual(expected);
    }
  });

  test('default is what there is without a profile', async () => {
    const variables = {
      ...SECRETS,
      ...KEYS,
      PATH: '/b',
      LC_TIME: 'C',
      XDG_X: 'x',
      USER: 'u',
      OTHER: 'o',
      SSH_AUTH_SOCK: '/s',
    };
    const decisions = decide(DEFAULT_POLICY, ParentEnv.fromRecord(variables));
    expect(await passed('default', variables)).toEqual(
      decisions.filter(({ verdict }) => verdict === 'pass').map(({ name }) => name),
    );
  });

  test('their rules say where they are written', async () => {
    const policy = await loadPolicy({ profile: 'codex' });
    expect(policy.allow[0]?.origin).toBe('built-in profile codex: environment.allow_vars[0]');
    expect(policy.base.origin).toBe('built-in profile agent: environment.base');
  });
});

describe('a wildcard that admits what looks like a credential', () => {
  const env = ParentEnv.fromRecord({
    AWS_REGION: 'e',
    AWS_SECRET_ACCESS_KEY: 'v4lue',
    AWS_SESSION_TOKEN: 'v4lue',
    GITHUB_TOKEN: 'v4lue',
  });
  const warnings = async (environment: object) => wildcardWarnings(await loadPolicy({ profile: { environment } }), env);

  test('is named once, with the names and never a value', async () => {
    const found = await warnings({ allow_vars: ['AWS_*'] });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(
      'profile object: environment.allow_vars[0]: allow AWS_* lets AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN through',
    );
    expect(found.join()).not.toContain('v4lue');
  });

  test('also when it is everything, by a star or by saying nothing', async () => {
    expect((await warnings({ allow_vars: ['*'] })).join()).toContain('GITHUB_TOKEN');
    expect((await warnings({})).join()).toContain('GITHUB_TOKEN');
  });

  test('by its value too, under whatever name', async () => {
    const address = 'postgres://u:pw4lue@db.example/x';
    const policy = await loadPolicy({ profile: { environment: {} } });
    const found = wildcardWarnings(
      policy,
      ParentEnv.fromRecord({ DATABASE_URL: address, HOMEPAGE: 'https://a.example' }),
    );
    expect(found).toEqual([expect.stringContaining('lets DATABASE_URL (by its value) through')]);
    expect(found.join()).not.toContain('pw4lue');
  });

  test('not when it is denied, stripped, named in full or not set', async () => {
    expect(await warnings({ allow_vars: ['AWS_*'], deny_vars: ['*SECRET*', '*TOKEN*'] })).toEqual([]);
    expect(await warnings({ allow_vars: ['AWS_*'], guard: 'strip' })).toEqual([]);
    expect(await warnings({ allow_vars: ['GITHUB_TOKEN', 'GITHUB_*'] })).toEqual([]);
    expect(await warnings({ allow_vars: ['GITHUB_*', 'GITHUB_TOKEN'] })).toEqual([]);
    expect(await warnings({ allow_vars: ['NPM_*'] })).toEqual([]);
  });
});
