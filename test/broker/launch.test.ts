import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';
import { identityOf, USERS } from '../support/users.ts';
import { VALUE } from './support.ts';

const env = { GITHUB_TOKEN: VALUE };
const SHOW =
  'printf "%s\\n" "$GITHUB_TOKEN" "$SSL_CERT_FILE" "$NODE_EXTRA_CA_CERTS"; tail -1 /etc/ssl/certs/ca-certificates.crt';

describe.each(USERS)('as %s', (user) => {
  const cordon = (args: readonly string[], more: Parameters<typeof runAs>[2] = {}) =>
    runAs(cordonProgram(), args, { user, env, ...more });

  test('the command holds a placeholder in the form of the key, another one each time, and trusts the CA of the launch', () => {
    const ran = ['--broker', 'GITHUB_TOKEN@api.github.com', '--', 'sh', '-c', SHOW];
    const [one, two] = [cordon(['run', ...ran]), cordon(['run', ...ran])].map(({ stdout }) => stdout.split('\n'));
    expect(one?.[0]).toMatch(/^ghp_[0-9A-Za-z]{36}$/);
    expect(one?.[0]).not.toBe(VALUE);
    expect(two?.[0]).not.toBe(one?.[0]);
    expect(one?.slice(1, 3)).toEqual(Array(2).fill('/etc/ssl/certs/ca-certificates.crt'));
    expect(one?.[3]).toBe('-----END CERTIFICATE-----');
  });

  test('the value is nowhere inside: not in an environment, a descriptor, memory or a file', () => {
    // The value is put together by the shell, so that its own text doesn't have it.
    const script = `want="$(printf '%s%s' ${VALUE.slice(0, 12)} ${VALUE.slice(12)})"
for at in /proc/[0-9]*; do
  for file in environ cmdline; do tr '\\0' '\\n' < $at/$file 2>/dev/null | grep -qF "$want" && [ $at/$file != /proc/$$/environ ] && echo "found $at/$file"; done
  for fd in $at/fd/*; do [ -f "$fd" ] && grep -qaF "$want" "$fd" 2>/dev/null && echo "found $fd"; done
done
env | grep -F "$want"; grep -rqaF "$want" /run /dev/shm /tmp /etc/ssl 2>/dev/null && echo found a file; echo done`;
    const { stdout } = cordon(['run', '--broker', 'GITHUB_TOKEN@api.github.com', '--', 'sh', '-c', script]);
    expect(stdout).toBe('done\n');
  });

  test('nothing that is written or shown has the value', () => {
    const home = freshHome(user);
    const broker = ['--broker', '@github'];
    const shown = [
      ['run', '--dry-run', ...broker],
      ['run', '--dry-run', '--json', ...broker],
      ['run', '--plan', ...broker],
      ['run', ...broker],
    ].map((args) => {
      const { stdout, stderr } = cordon([...args, '--', 'true'], { home });
      return stdout + stderr;
    });
    expect(shown.join('')).not.toContain(VALUE);
    expect(shown.join('')).not.toContain('PRIVATE KEY');
    const state = join(home, '.local/state/cordon');
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('');
    expect(texts).toContain('"brokered":["GITHUB_TOKEN"]');
    expect(texts).not.toContain(VALUE);
  });

  test('the guard lets a placeholder be, and redaction finds it and what it stands for', () => {
    const home = freshHome(user);
    const shown = (...flags: string[]) =>
      cordon(
        ['run', ...flags, '--broker', 'GITHUB_TOKEN@api.github.com', '--', 'sh', '-c', 'echo $GITHUB_TOKEN; cat'],
        {
          home,
          input: VALUE,
        },
      );
    for (const guard of ['strip', 'forbid']) expect(shown('--guard', guard).stdout).toMatch(/^ghp_[0-9A-Za-z]{36}\n/);
    expect(shown('--redact').stdout).toBe('[GITHUB_TOKEN]\n[GITHUB_TOKEN]');
  });

  test('what a command left of a placeholder in a file is no credential to check, and what is one still is', () => {
    const home = freshHome(user);
    const work = join(home, 'work');
    mkdirSync(join(work, '.git'), { recursive: true });
    const { uid, gid } = identityOf(user);
    for (const folder of [work, join(work, '.git')]) chownSync(folder, uid, gid);
    const settings = (token: string) =>
      JSON.stringify({ mcpServers: { a: { command: 'a', env: { GITHUB_TOKEN: token, MORE: '@@' } } } }, null, 2);
    const script = `printf '%s' '${settings('%s')}' | sed "s/%s/$GITHUB_TOKEN/" >.mcp.json; echo "$GITHUB_TOKEN"`;
    const ran = cordon(['run', '--broker', 'GITHUB_TOKEN@api.github.com', '--', 'sh', '-c', script], {
      home,
      cwd: work,
    });
    const file = join(work, '.mcp.json');
    const placeholder = ran.stdout.trim();
    expect(readFileSync(file, 'utf8'), ran.stderr).toContain(placeholder);
    const rules = (place = home) => {
      const { stdout } = cordon(['check', '--json', file], { home: place, cwd: work });
      return JSON.parse(stdout).findings.map(({ rule, line }: { rule: string; line: number }) => `${rule} ${line}`);
    };
    expect(rules()).toEqual(['left-over-placeholder 6']);
    // Where nobody knows of that launch it is what it looks like.
    expect(rules(freshHome(user))).toEqual(['literal-credential 6']);
    writeFileSync(file, readFileSync(file, 'utf8').replace('@@', VALUE));
    expect(rules()).toEqual(['left-over-placeholder 6', 'literal-credential 7']);
    writeFileSync(file, settings(`cordon_github_token_${'aB3'.repeat(12).slice(0, 32)}`));
    expect(rules()).toEqual(['literal-credential 6']);
    // Neither it nor the value is in a record.
    const state = join(home, '.local/state/cordon');
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const texts = files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1')).join('');
    for (const text of [placeholder, VALUE]) expect(texts).not.toContain(text);
  });

  test('a profile says the same', () => {
    const home = freshHome(user);
    const profile = join(home, 'p.json');
    const credential = {
      target: 'GITHUB_TOKEN',
      source: 'env://GITHUB_TOKEN',
      for: ['api.github.com'],
      as: 'authorization',
      methods: ['GET'],
      paths: ['/repos/**'],
    };
    writeFileSync(profile, JSON.stringify({ environment: { base: 'os-common' }, env_credentials: [credential] }), {
      mode: 0o644,
    });
    const { stdout, stderr } = cordon(['run', '--profile', profile, '--', 'sh', '-c', 'echo $GITHUB_TOKEN'], { home });
    expect(stdout, stderr).toMatch(/^ghp_[0-9A-Za-z]{36}\n$/);
    expect(stdout).not.toContain(VALUE);
    expect(cordon(['explain', '--profile', profile, 'GITHUB_TOKEN'], { home }).stdout).toContain(
      'its value goes to api.github.com alone',
    );
  });
});

describe('refused with the reason', () => {
  const run = (...args: string[]) => runAs(cordonProgram(), ['run', ...args, '--', 'true'], { env });

  test.each([
    [['--broker', 'GITHUB_TOKEN@*'], /whatever host the command names/],
    [['--broker', 'GITHUB_TOKEN@10.0.0.1'], /is an address/],
    [['--broker', 'GITHUB_TOKEN@@githbu'], /did you mean @github/],
    [['--broker', '@slack'], /none of SLACK_BOT_TOKEN.* is set/],
    [['--broker', 'PATH@api.github.com'], /cannot be injected as 'PATH'/],
    [['--broker'], /means the key of an agent/],
    [['--broker', '@github', '--net', 'on'], /contradict each other/],
    [['--broker', '@github', '--isolation', 'filter'], /isolation filter cannot hold this/],
  ])('%j', (args, reason) => {
    const { code, stderr } = run(...args);
    expect(code === 0 ? 'started' : stderr).toMatch(reason);
  });

  test.each([
    ['abc', /3 bytes/],
    ['two\nlines are too many', /line break/],
  ])('a value that can not be held back: %j', (value, reason) => {
    const { code, stderr } = runAs(cordonProgram(), ['run', '--broker', 'TOKEN@api.example.com', '--', 'true'], {
      env: { TOKEN: value },
    });
    expect(code).toBe(125);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain(value);
  });

  test.each([
    [{ for: ['*'] }, /whatever host/],
    [{ for: [] }, /no host is named/],
    [{ for: ['api.example.com'], as: 'cookie' }, /not a place for a credential/],
    [{ for: ['api.example.com'], methods: ['G T'] }, /not an HTTP method/],
    [{ for: ['api.example.com'], paths: ['repos'] }, /not a path/],
    [{ as: 'authorization' }, /none is named/],
  ])('in a profile: %j', (more, reason) => {
    const home = freshHome('root');
    mkdirSync(join(home, '.config/cordon/profiles'), { recursive: true });
    const profile = join(home, 'p.json');
    writeFileSync(profile, JSON.stringify({ env_credentials: [{ target: 'T', source: 'env://T', ...more }] }));
    const { code, stderr } = runAs(cordonProgram(), ['profile', 'validate', profile], { home });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(reason);
    expect(stderr).toMatch(/p\.json:1:/);
  });
});

test('a token of a subscription in a variable is brokered where there is no key, and only then', () => {
  const home = freshHome('root');
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const show = '#!/bin/sh\necho "$ANTHROPIC_API_KEY,$CLAUDE_CODE_OAUTH_TOKEN"\n';
  writeFileSync(join(bin, 'claude'), show, { mode: 0o755 });
  const token = ['sk-ant-oat01', 't'.repeat(90)].join('-');
  const key = ['sk-ant-api03', 'k'.repeat(90)].join('-');
  const said = (more: Readonly<Record<string, string>>, ...flags: string[]) =>
    runAs(cordonProgram(), ['run', '--agent', 'claude', ...flags, '--', 'claude'], {
      home,
      env: { CLAUDE_CODE_OAUTH_TOKEN: token, PATH: `${bin}:/usr/bin:/bin`, ...more },
    }).stdout;
  expect(said({}, '--broker')).toMatch(/^,sk-ant-oat01-[0-9A-Za-z]{90}\n$/);
  expect(said({}, '--broker')).not.toContain(token);
  expect(said({ ANTHROPIC_API_KEY: key }, '--broker')).toMatch(/^sk-ant-api03-[0-9A-Za-z]{90},\n$/);
  expect(said({})).toBe(',\n');
});

test('an agent gets its key brokered with one word, and neither a key nor a log-in of its own is inside', () => {
  const home = freshHome('root');
  const key = ['sk-ant-api03', 'k'.repeat(90)].join('-');
  const bin = join(home, 'bin');
  mkdirSync(bin);
  mkdirSync(join(home, '.claude'));
  writeFileSync(join(home, '.claude/.credentials.json'), '{"claudeAiOauth":{"accessToken":"log-in"}}');
  writeFileSync(
    join(bin, 'claude'),
    '#!/bin/sh\necho "$ANTHROPIC_API_KEY"; cat ~/.claude/.credentials.json 2>/dev/null || echo none\n',
    { mode: 0o755 },
  );
  const more = { home, env: { ANTHROPIC_API_KEY: key, PATH: `${bin}:/usr/bin:/bin` } };
  const { stdout, stderr } = runAs(cordonProgram(), ['run', '--agent', 'claude', '--broker', '--', 'claude'], more);
  const [inside, file] = stdout.split('\n');
  expect(inside, stderr).toMatch(/^sk-ant-api03-[0-9A-Za-z]{90}$/);
  expect(inside).not.toBe(key);
  expect(stdout).not.toContain('log-in');
  expect(file).toMatch(/^(?:none)?$/);
  expect(runAs(cordonProgram(), ['run', '--agent', 'claude', '--', 'claude'], more).stdout).toContain(key);
});
