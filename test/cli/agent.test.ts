import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Place, variables } from '../agents/support.ts';
import { USERS } from '../support/users.ts';
import { casesFor } from '../vectors/cases.ts';

test('there are cases', () => expect(casesFor('agent').length).toBeGreaterThan(3));

describe.each(USERS)('as %s', (user) => {
  describe('the cases for agents, through the program itself', () => {
    test.each(casesFor('agent'))('$id', ({ policy, host, expect: { env } }) => {
      const place = new Place(user);
      const host_ = { ...host, CORDON_HOME: place.config };
      const isolation = ['--isolation', 'filter'];
      const ran = place.cordon(['run', '--agent', policy.agent, ...isolation, '--', '/usr/bin/env', '-0'], host_);
      // The marker for prompts is what `run` adds; the agent's own start has none.
      const { CORDON: marker, ...got } = variables(ran.stdout);
      expect({ code: ran.code, env: got, marker }).toEqual({ code: 0, env, marker: `agent ${policy.agent}` });
      const shown = place.cordon(['agent', 'env', policy.agent, '--json'], host_);
      const passed = (JSON.parse(shown.stdout) as { name: string; verdict: string }[]).filter(
        ({ verdict }) => verdict === 'pass',
      );
      expect(passed.map(({ name }) => name).toSorted()).toEqual(Object.keys(env ?? {}).toSorted());
    });
  });

  test('the recipe that shows what an agent would find', () => {
    const place = new Place(user);
    const env = { DATABASE_URL: 'postgres://u:p@h/d', PROOF_ENV: 'fake-secret' };
    expect(place.cordon(['agent', 'run', 'generic', 'env > env.txt'], env).code).toBe(0);
    const found = readFileSync(join(place.work, 'env.txt'), 'utf8');
    expect(found).toContain(`HOME=${place.home}`);
    expect(found).not.toMatch(/DATABASE_URL|PROOF_ENV|fake-secret/);
  });

  test('certificates and editors reach an agent however it is started', () => {
    const place = new Place(user);
    const env = { SSL_CERT_DIR: '/etc/ssl/certs', EDITOR: 'vi', SECRET_WORD: 'x' };
    place.cordon(['agent', 'run', 'generic', 'env -0 > environment'], env);
    const { CORDON: _, ...run } = variables(place.cordon(['run', '--agent', 'generic', '--', 'env', '-0'], env).stdout);
    expect(place.environment()).toEqual(run);
    expect(run).toMatchObject({ SSL_CERT_DIR: '/etc/ssl/certs', EDITOR: 'vi' });
  });

  describe('nothing turns the filter off', () => {
    test.each([
      [['--base', 'all'], '--base is refused with an agent'],
      [['--base', 'agent'], '--base is refused with an agent'],
      [['--guard', 'off'], '--guard off is refused with an agent'],
      [['--allow', '*'], "--allow '*' is refused with an agent"],
      [['--allow', '?*'], "--allow '?*' is refused with an agent"],
      [['--allow', '[A-Z]*'], "--allow '[A-Z]*' is refused with an agent"],
      [['--role', 'open'], "'*' asks for every variable, which no agent gets"],
      [['--profile', 'all'], 'allow * is refused for an agent'],
    ])('%s', (flags, message) => {
      const place = new Place(user);
      if (flags.includes('open')) place.toml('[roles.open]\nallow = ["*"]\n');
      place.file('cordon/profiles/all.json', '{"environment":{"allow_vars":["*"]}}');
      for (const start of [
        ['run', '--agent', 'generic', ...flags, '--', 'env'],
        ['agent', 'run', 'generic', ...flags, 'env'],
      ]) {
        const { code, stdout, stderr } = place.cordon(start, { GITHUB_TOKEN: 't' });
        expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
        expect(stderr).toContain(message);
      }
    });

    test('a profile beside an agent adds, and takes nothing of its filter away', () => {
      const place = new Place(user);
      place.file('cordon/profiles/more.json', '{"environment":{"allow_vars":["MYAPP_*"]}}');
      place.file('cordon/profiles/files.json', '{"filesystem":{"hide":["~/private"]}}');
      const env = { MYAPP_MODE: 'm', MYAPP_TOKEN: 't', OTHER: 'o' };
      const run = (profile: string) =>
        variables(place.cordon(['run', '--agent', 'generic', '--profile', profile, '--', 'env', '-0'], env).stdout);
      expect(Object.keys(run('more')).toSorted()).toEqual(['HOME', 'MYAPP_MODE', 'PATH']);
      expect(Object.keys(run('files')).toSorted()).toEqual(['HOME', 'PATH']);
    });
  });

  describe('addresses and proxies', () => {
    test.each([
      ['claude', 'ANTHROPIC_BASE_URL', []],
      ['codex', 'OPENAI_BASE_URL', []],
      ['gemini', 'GOOGLE_GEMINI_BASE_URL', []],
      ['generic', 'HTTPS_PROXY', ['--allow', '@proxy']],
      ['generic', 'no_proxy', ['--role', 'behind-proxy']],
    ] as const)('%s gets %s, unless it carries a credential', (agent, name, flags) => {
      const place = new Place(user);
      place.toml('[roles.behind-proxy]\nallow = ["@proxy"]\n');
      const run = (value: string) =>
        place.cordon(['run', '--agent', agent, ...flags, '--', 'env', '-0'], { [name]: value });
      expect(variables(run('http://gateway.internal:8080').stdout)[name]).toBe('http://gateway.internal:8080');
      const refused = run('http://user:hunter2-hunter2@gateway.internal:8080');
      expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 125, stdout: '' });
      expect(refused.stderr).toContain(`forbids this launch: ${name} (the value holds`);
      expect(refused.stderr).not.toContain('hunter2');
    });

    test('it can be denied then', () => {
      const env = { ANTHROPIC_BASE_URL: 'https://user:hunter2@h' };
      const args = ['run', '--agent', 'claude', '--deny', 'ANTHROPIC_BASE_URL', '--', 'env', '-0'];
      expect(variables(new Place(user).cordon(args, env).stdout)).not.toHaveProperty('ANTHROPIC_BASE_URL');
    });
  });

  describe('modes', () => {
    const env = { MYAPP_MODE: 'm', MYAPP_TOKEN: 'canary', UNRELATED_TOKEN: 'u' };
    const run = (...mode: string[]) =>
      new Place(user).cordon(['run', '--agent', 'generic', '--allow', 'MYAPP_*', ...mode, '--', 'env'], env);

    test('permissive says what a guard holds back, and passes none of it', () => {
      const { code, stdout, stderr } = run('--mode', 'permissive');
      expect({ code, passed: stdout.includes('MYAPP_MODE=m'), leaked: stdout.includes('canary') }).toEqual({
        code: 0,
        passed: true,
        leaked: false,
      });
      expect(stderr).toBe(
        'cordon: warning: MYAPP_TOKEN is allowed, and held back by a guard (guard name-word): the name contains TOKEN\n',
      );
    });

    test('strict starts nothing then', () => {
      const { code, stdout, stderr } = run('--mode', 'strict');
      expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
      expect(stderr).toContain('MYAPP_TOKEN (the name contains TOKEN)');
    });

    test('without one it is dropped without a word', () => {
      const { stdout, stderr } = run();
      expect({ leaked: stdout.includes('canary'), stderr }).toEqual({ leaked: false, stderr: '' });
    });
  });

  describe('keys', () => {
    const keysIn = (stdout: string) =>
      Object.fromEntries(Object.entries(variables(stdout)).filter(([name]) => /KEY|TOKEN/.test(name)));

    test('come from the vault where the configuration says so, and from nowhere else then', () => {
      const place = new Place(user);
      place.toml('[agents.claude.credentials]\nANTHROPIC_API_KEY = "vault://work"\n');
      const run = () =>
        place.cordon(['run', '--agent', 'claude', '--', 'env', '-0'], { ANTHROPIC_API_KEY: 'inherited' });
      expect(run()).toMatchObject({ code: 125, stdout: '' });
      place.cordon(['creds', 'set', 'work'], {}, 'value-of-the-vault');
      expect(keysIn(run().stdout)).toEqual({ ANTHROPIC_API_KEY: 'value-of-the-vault' });
    });

    test.each([
      [{ GOOGLE_API_KEY: 'g' }, { GOOGLE_API_KEY: 'g', GEMINI_API_KEY: 'g' }],
      [{ GEMINI_API_KEY: 'e' }, { GEMINI_API_KEY: 'e' }],
      [
        { GOOGLE_API_KEY: 'g', GEMINI_API_KEY: 'e' },
        { GOOGLE_API_KEY: 'g', GEMINI_API_KEY: 'e' },
      ],
    ])('gemini: %o', (env, expected) => {
      const { stdout } = new Place(user).cordon(
        ['run', '--agent', 'gemini', '--', 'env', '-0'],
        env as Record<string, string>,
      );
      expect(keysIn(stdout)).toEqual(expected);
    });

    test('gemini: what a role denies is not given under another name', () => {
      const place = new Place(user);
      place.toml('[roles.r]\ndeny = ["GOOGLE_*"]\n');
      const { stdout } = place.cordon(['run', '--agent', 'gemini', '--role', 'r', '--', 'env', '-0'], {
        GOOGLE_API_KEY: 'g',
      });
      expect(keysIn(stdout)).toEqual({});
    });

    test('a role adds keys and rules, and takes away', () => {
      const place = new Place(user);
      place.toml(`[roles.release]
extra_keys = ["NPM_TOKEN"]
allow = ["BUILD_*"]
deny = [{ pattern = "BUILD_S*", except = ["BUILD_SHA"] }]
`);
      const env = { NPM_TOKEN: 'n', GH_TOKEN: 'g', BUILD_ID: '1', BUILD_SHA: '2', BUILD_SITE: '3', BUILD_TOKEN: '4' };
      const { stdout } = place.cordon(['run', '--agent', 'generic', '--role', 'release', '--', 'env', '-0'], env);
      const { PATH: _, HOME: __, CORDON: ___, ...got } = variables(stdout);
      expect(got).toEqual({ NPM_TOKEN: 'n', BUILD_ID: '1', BUILD_SHA: '2' });
    });

    test.each([
      [['--id', 'build-7'], ['ANTHROPIC_API_KEY']],
      [['--id', 'build-8'], ['OPENAI_API_KEY']],
      [['--id', 'other', '--role', 'scoped'], ['AZURE_OPENAI_API_KEY']],
      [['--role', 'with-keys'], ['OPENAI_API_KEY']],
      [['--id', 'other', '--role', 'bare'], undefined],
      [[], undefined],
    ])('scopes: %s gets %s', (flags, expected) => {
      const place = new Place(user);
      place.toml(`[roles.scoped]
[roles.bare]
[roles.with-keys]
extra_keys = ["OPENAI_API_KEY"]
[scopes."build-*"]
keys = ["OPENAI_API_KEY"]
[scopes.build-7]
keys = ["ANTHROPIC_API_KEY"]
[scopes.scoped]
keys = ["AZURE_OPENAI_API_KEY"]
`);
      const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', AZURE_OPENAI_API_KEY: 'z' };
      const { code, stdout, stderr } = place.cordon(['run', '--agent', 'aider', ...flags, '--', 'env', '-0'], env);
      if (expected === undefined) {
        expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
        expect(stderr).toContain('no scope of credentials covers aider');
      } else expect(Object.keys(keysIn(stdout))).toEqual(expected);
    });
  });

  describe('files', () => {
    test('an agent sees its own log-in and nobody else’s', () => {
      const place = new Place(user);
      place.file('.claude/.credentials.json', 'log-in of claude');
      place.file('.codex/auth.json', 'log-in of codex');
      place.file('adc.json', 'log-in of google');
      const seen = (agent: string) =>
        place.cordon(
          ['run', '--agent', agent, '--', 'sh', '-c', 'cat ~/.claude/.credentials.json ~/.codex/auth.json ~/adc.json'],
          {
            GOOGLE_APPLICATION_CREDENTIALS: join(place.home, 'adc.json'),
          },
        ).stdout;
      expect(seen('claude')).toBe('log-in of claude');
      expect(seen('codex')).toBe('log-in of codex');
      expect(seen('gemini')).toBe('log-in of google');
      expect(seen('generic')).toBe('');
    });

    test('also where a variable has moved it', () => {
      const place = new Place(user);
      place.file('elsewhere/.credentials.json', 'log-in of claude');
      const args = ['run', '--agent', 'claude', '--', 'sh', '-c', 'cat "$CLAUDE_CONFIG_DIR/.credentials.json"'];
      expect(place.cordon(args, { CLAUDE_CONFIG_DIR: join(place.home, 'elsewhere') }).stdout).toBe('log-in of claude');
    });
  });

  describe('what is there to look at', () => {
    test('list: installed, version, logged in, keys by name', () => {
      const place = new Place(user);
      place.standIn('claude', '#!/bin/sh\n[ -z "$ANTHROPIC_API_KEY" ] && echo "2.1.0 (Claude Code)"\n');
      place.standIn('codex', '#!/bin/sh\nsleep 60\n');
      place.file('.gemini/oauth_creds.json', '{}');
      place.toml(
        '[agents.mine]\ncommand = ["mine"]\nextra_keys = ["MY_KEY"]\n[agents.mine.credentials]\nMY_KEY = "vault://mine"\n',
      );
      place.standIn('codex', '#!/bin/sh\necho codex-cli 0.1\n');
      const env = { ANTHROPIC_API_KEY: 'canary-key' };
      const { code, stdout } = place.cordon(['agent', 'list', '--json'], env);
      const found = Object.fromEntries((JSON.parse(stdout) as { name: string }[]).map((one) => [one.name, one]));
      expect(code).toBe(0);
      expect(found.claude).toMatchObject({
        installed: true,
        version: '2.1.0',
        loggedIn: true,
        keys: [{ name: 'ANTHROPIC_API_KEY', set: true }],
      });
      expect(found.codex).toMatchObject({ installed: true, version: '0.1', loggedIn: false });
      expect(found.gemini).toMatchObject({ installed: false, version: null, loggedIn: true });
      expect(found.generic).toMatchObject({ installed: true, version: null, loggedIn: null, keys: [] });
      expect(found.mine).toMatchObject({ installed: false, keys: [{ name: 'MY_KEY', set: true }] });
      const table = place.cordon(['agent', 'list'], env).stdout;
      expect(table).toMatch(/^claude +yes +2\.1\.0 +yes +ANTHROPIC_API_KEY/m);
      expect(stdout + table).not.toContain('canary-key');
    });

    test('command', () => {
      const place = new Place(user);
      const shown = place.cordon(['agent', 'command', 'gemini', "it's", 'me']);
      expect(shown.stdout).toBe(
        "printf %s 'it'\\''s me' | gemini --output-format stream-json --approval-mode yolo --skip-trust\n",
      );
      const json = JSON.parse(place.cordon(['agent', 'command', 'generic', '--json', 'echo hi']).stdout);
      expect(json).toEqual({ argv: ['sh', '-c', '--', 'echo hi'], stdin: null, workdir: place.work });
    });

    test('env for one name', () => {
      const { stdout } = new Place(user).cordon(['agent', 'env', 'claude', 'GITHUB_TOKEN'], { GITHUB_TOKEN: 'x' });
      expect(stdout).toBe(
        'GITHUB_TOKEN does not arrive: the name contains TOKEN (rule: guard name-word, written in: credential guard).\n',
      );
    });

    test('a launch is recorded', () => {
      const place = new Place(user);
      place.cordon(['agent', 'run', 'generic', 'exit 5'], { GITHUB_TOKEN: 'x' });
      const [record] = JSON.parse(place.cordon(['audit', '--json']).stdout);
      expect(record).toMatchObject({ policy: 'agent generic', exit: 5 });
    });
  });

  test('with redaction asked for, the agent’s credentials are not in its output', () => {
    const place = new Place(user);
    place.toml('[agents.claude.credentials]\nANTHROPIC_API_KEY = "env://WORK"\n');
    place.standIn('claude', '#!/bin/sh\necho "{\\"key\\":\\"$ANTHROPIC_API_KEY\\"}"; echo "$ANTHROPIC_API_KEY" >&2\n');
    const { stdout, stderr } = place.cordon(['agent', 'run', 'claude', '--redact', '--json', 'x'], {
      WORK: 'value-77aa10c4',
    });
    expect({ stdout, stderr }).toEqual({ stdout: '{"key":"[ANTHROPIC_API_KEY]"}\n', stderr: '[ANTHROPIC_API_KEY]\n' });
  });
});
