import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freshHome, type Ran, runCordon } from '../support/cordon.ts';
import { identityOf, SELF, USERS, type User } from '../support/users.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const BAD_COMPOSE = 'services:\n  a:\n    environment: [NPM_TOKEN]\n';
const GOOD_COMPOSE = 'services:\n  a:\n    environment: [LOG_LEVEL]\n';

/** A folder of this user's with these files in it. */
function folderWith(user: User, files: Readonly<Record<string, string | Buffer>>): string {
  const folder = freshHome(user);
  made.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  const { uid, gid } = identityOf(user);
  for (const entry of readdirSync(folder, { recursive: true })) chownSync(join(folder, String(entry)), uid, gid);
  return folder;
}

const checkIn = (home: string, user: User, args: readonly string[] = []): Ran =>
  runCordon(['check', ...args], { user, home });

describe.each(USERS)('cordon check as %s', (user) => {
  it('finds by itself what Cordon has and what the working folder hands on; .env is private', () => {
    const home = folderWith(user, {
      '.config/cordon/cordon.toml': '[tools.ruff]\nenv_allow = ["AWS_*"]\nenv_base = "none"\n',
      '.config/cordon/profiles/web.json': '{"environment": {"allow_vars": ["NPM_*"]}}',
      '.config/cordon/secrets.yaml': 'sandboxed_envs:\n  PATH: "x"\n',
      '.config/cordon/users/ann/secrets.yaml': 'sandboxed_envs:\n  HOME: "x"\n',
      '.github/workflows/ci.yml': 'jobs:\n  a:\n    secrets: inherit\n',
      Dockerfile: 'ARG NPM_TOKEN\n',
      'compose.yaml': BAD_COMPOSE,
      '.env': 'DB_PASSWORD=correcthorse\n',
      '.env.example': 'DB_PASSWORD=correcthorse\n',
      'package.json': '{}',
    });
    const { code, stdout } = checkIn(home, user, ['--json']);
    const { findings } = JSON.parse(stdout) as { findings: { file: string; rule: string }[] };
    expect(
      findings.map(({ file, rule }) => `${file.replace(`${home}/.config/cordon`, 'CORDON')} ${rule}`).toSorted(),
    ).toEqual([
      '.env.example secret-in-plain-text',
      '.github/workflows/ci.yml all-secrets-at-once',
      'CORDON/cordon.toml wildcard-admits-credentials',
      'CORDON/profiles/web.json wildcard-admits-credentials',
      'CORDON/secrets.yaml secrets-bad-name',
      'CORDON/users/ann/secrets.yaml secrets-bad-name',
      'Dockerfile credential-in-build-arg',
      'compose.yaml credential-to-container',
    ]);
    expect(code).toBe(1);
  });

  it('exit codes: 0 clean, 0 with notes only, 1 with findings, 125 when a file could not be checked', () => {
    const home = folderWith(user, {
      'good.yaml': GOOD_COMPOSE,
      'bad.yaml': BAD_COMPOSE,
      'note.json': '{"environment": {"allow_vars": ["OPENAI_API_KEY"]}}',
      'broken.json': '{',
    });
    expect(checkIn(home, user, ['good.yaml'])).toMatchObject({ code: 0, stdout: '1 file: no findings\n', stderr: '' });
    expect(checkIn(home, user, ['note.json'])).toMatchObject({ code: 0, stdout: expect.stringContaining('1 note') });
    expect(checkIn(home, user, ['bad.yaml']).code).toBe(1);
    expect(checkIn(home, user, ['bad.yaml', 'broken.json'])).toMatchObject({
      code: 125,
      stdout: expect.stringContaining('credential-to-container'),
      stderr: expect.stringContaining('broken.json:1:2: not valid JSON'),
    });
  });

  it('a file that others may write can be checked: nothing is done by it', () => {
    const home = folderWith(user, { 'p.json': '{"environment": {"allow_vars": ["AWS_*"]}}' });
    chmodSync(join(home, 'p.json'), 0o666);
    expect(checkIn(home, user, ['p.json'])).toMatchObject({ code: 1, stderr: '' });
  });

  it('a secrets file that others can read is a finding', () => {
    const home = folderWith(user, { 'secrets.yaml': 'sandboxed_envs:\n  A: "x"\n' });
    chmodSync(join(home, 'secrets.yaml'), 0o644);
    expect(checkIn(home, user, ['secrets.yaml'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('its mode is 0644'),
    });
  });

  it('names in the environment are told, no value is', () => {
    const home = folderWith(user, { 'p.json': '{"environment": {"allow_vars": ["MYAPP_*"]}}' });
    const { stdout } = runCordon(['check', 'p.json'], { user, home, env: { MYAPP_SECRET: 'never-told-value' } });
    expect(stdout).toContain('set now: MYAPP_SECRET');
    expect(stdout).not.toContain('never-told-value');
  });

  it('every bad file has its own message, and the others are checked', async () => {
    const home = folderWith(user, {
      'bad.yaml': BAD_COMPOSE,
      'binary.json': Buffer.from([0x7b, 0x00, 0x7d]),
      'latin1.json': Buffer.from([0x7b, 0xe4, 0x7d]),
      'huge.json': `{"a": "${'x'.repeat(1024 * 1024)}"}`,
      'empty.json': '',
      'list.json': '["a", 5]',
      'number.json': '{"environment": {"allow_vars": [5]}}',
      'notes.md': '# notes',
      'deep.json': '['.repeat(100_000),
      'folder/x': '',
    });
    execFileSync('mkfifo', [join(home, 'fifo')]);
    symlinkSync('loop', join(home, 'loop'));
    const socket = createServer().listen(join(home, 'socket'));
    await new Promise((resolve) => socket.once('listening', resolve));
    const names = [
      'bad.yaml',
      'binary.json',
      'latin1.json',
      'huge.json',
      'empty.json',
      'list.json',
      'number.json',
      'notes.md',
    ];
    const { code, stdout, stderr } = checkIn(home, user, [
      ...names,
      'deep.json',
      'folder',
      'fifo',
      'loop',
      'socket',
      'missing.json',
      '/dev/null',
    ]);
    socket.close();
    expect(code).toBe(125);
    expect(stdout).toContain('credential-to-container');
    for (const line of [
      'binary.json: the file is a binary file',
      'latin1.json: the file is not UTF-8 text',
      'huge.json: the file is larger than 1 MiB',
      'empty.json: the file is empty',
      'list.json:1:1: expected an object with the keys of a profile, not a list',
      'number.json:1:33: expected a name, PREFIX* or *, not a number',
      'notes.md: cannot tell what kind of file this is',
      'deep.json:1:65: nested deeper than 64 levels',
      'folder: the file is a folder',
      'fifo: the file is a FIFO',
      'loop: the file is a link that leads nowhere but to itself',
      'socket: the file is a socket',
      'missing.json: the file does not exist',
      '/dev/null: the file is a device',
    ])
      expect(stderr).toContain(`cordon: ${line}\n`);
    expect(stderr.match(/hint: /g)?.length).toBeGreaterThan(10);
  });

  it.each([
    [['--format', 'xml'], "--format does not know 'xml'"],
    [['--as', 'profil'], 'did you mean profile?'],
    [['--json', '--format', 'sarif'], '--json and --format sarif contradict each other'],
    [['--fromat', 'json'], 'did you mean --format?'],
  ])('%j is refused', (args, message) => {
    const { code, stderr } = checkIn(folderWith(user, {}), user, args);
    expect(code).toBe(125);
    expect(stderr).toContain(message);
  });

  it('--fix lists an open .env in .gitignore, says so, and has nothing to do the second time', () => {
    const home = folderWith(user, { '.env': 'DB_PASSWORD=correcthorse\n', '.git/HEAD': 'ref: refs/heads/main\n' });
    expect(checkIn(home, user)).toMatchObject({ code: 1, stdout: expect.stringContaining('env-file-not-ignored') });
    const fixed = checkIn(home, user, ['--fix']);
    expect(fixed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^fixed \.env: \.gitignore lists \/\.env now\n/),
    });
    expect(readFileSync(join(home, '.gitignore'), 'utf8')).toBe('/.env\n');
    expect(checkIn(home, user, ['--fix', '--json']).stdout).not.toContain('"fixed"');
  });

  it('nothing to check is no failure', () => {
    expect(checkIn(folderWith(user, {}), user)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing to check here'),
    });
  });
});

it('a file that may not be read', () => {
  const home = folderWith('cordon-test', { 'p.json': '{}' });
  chmodSync(join(home, 'p.json'), 0);
  const { code, stderr } = checkIn(home, 'cordon-test', ['p.json']);
  expect(code).toBe(125);
  expect(stderr).toContain('p.json: the file may not be read\n');
});

it('names that could steer a terminal are shown escaped', () => {
  const user = SELF;
  const name = 'a\u001b[31m.yaml';
  const { stdout } = checkIn(folderWith(user, { [name]: BAD_COMPOSE }), user, [name]);
  expect(stdout).toContain('a\\x1b[31m.yaml');
  expect(stdout).not.toContain('\u001b');
});
