import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { cordonProgram, freshHome, type RunOptions, runCordon } from '../support/cordon.ts';
import { openCopy } from '../support/project.ts';
import { trustedFolder, trustedHelpers } from '../support/trusted-folder.ts';
import { USERS } from '../support/users.ts';

const FIXTURES = trustedHelpers();
const TERMINAL = openCopy(join(import.meta.dirname, '../launch/redact/fixtures/in-terminal.py'));
const VALUE = 'value-1f4c9e77-of-the-test';

describe.each(USERS)('creds as %s', (user) => {
  const place = () => ({ user, home: freshHome(user) });
  const store = (options: RunOptions, name: string, input: string | Buffer = `${VALUE}\n`) =>
    runCordon(['creds', 'set', name], { ...options, input });

  test('set, list, test, use and rm, and the value is shown by the command alone', () => {
    const options = place();
    expect(store(options, 'MY_KEY')).toMatchObject({ code: 0, stdout: '' });
    const list = runCordon(['creds', 'list'], options);
    expect(list.stdout).toMatch(
      /^NAME +SOURCE +CHANGED +FINGERPRINT\nMY_KEY +vault:\/\/MY_KEY +20\d\d-\S+ \S+ +[0-9a-f]{8}\n$/,
    );
    const [entry] = JSON.parse(runCordon(['creds', 'list', '--json'], options).stdout);
    expect(Object.keys(entry)).toEqual(['name', 'source', 'changed', 'fingerprint']);
    expect(runCordon(['creds', 'test', 'MY_KEY'], options)).toEqual({
      code: 0,
      stdout: 'ok: vault://MY_KEY has a value\n',
      stderr: '',
    });
    expect(runCordon(['run', '--credential', 'MY_KEY', '--', 'printenv', 'MY_KEY'], options)).toMatchObject({
      code: 0,
      stdout: `${VALUE}\n`,
    });
    expect(runCordon(['run', '--credential', 'OTHER=vault://MY_KEY', '--', 'printenv', 'OTHER'], options).stdout).toBe(
      `${VALUE}\n`,
    );
    expect(runCordon(['creds', 'rm', 'MY_KEY'], options).code).toBe(0);
    expect(runCordon(['creds', 'test', 'MY_KEY'], options)).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('cordon creds set MY_KEY'),
    });
    expect(runCordon(['creds', 'rm', 'MY_KEY'], options)).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('the vault has no MY_KEY'),
    });
  });

  test.each([
    ['creds set KEY', 'the vault'],
    ['creds list', 'the vault'],
    ['tool config ls env base none', 'your tools and their policies'],
    ['profile init --name web --yes', 'your profiles'],
    ['changes', 'what is put aside'],
    ['audit', 'the record of launches'],
    ['net log', 'the record of connections'],
  ])('inside a sandbox %s says that it does nothing there', (command, what) => {
    const flags = ['--read', dirname(dirname(cordonProgram()))];
    const ran = runCordon(['run', ...flags, '--', cordonProgram(), ...command.split(' ')], {
      ...place(),
      input: VALUE,
    });
    expect(ran.stderr).toMatch(/^cordon: cordon \w+.* does nothing inside a sandbox of Cordon: /m);
    expect(ran.stderr).toContain(`${what} cannot be reached here`);
    expect(ran).toMatchObject({ code: 125, stdout: '' });
  });

  test('the vault and its key are out of reach behind the barrier', () => {
    const options = place();
    store(options, 'MY_KEY');
    const folder = join(options.home, '.local/state/cordon/vault');
    expect(readdirSync(folder)).toHaveLength(2);
    const inside = runCordon(
      ['run', '--isolation', 'barrier', '--fs', 'all', '--', 'sh', '-c', `cat ${folder}/* ; ls ${folder}`],
      options,
    );
    expect(inside.stdout).not.toMatch(/AGE-SECRET-KEY|age-encryption|identity/);
  });

  test('a value is never taken from the arguments', () => {
    const options = place();
    const result = runCordon(['creds', 'set', 'MY_KEY', VALUE], options);
    expect(result).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('never given as an argument'),
    });
    expect(result.stderr).not.toContain(VALUE);
    expect(runCordon(['creds', 'list'], options).stdout).toContain('the vault is empty');
  });

  const values: [string, Buffer, RegExp][] = [
    ['empty', Buffer.from('\n'), /its value is empty/],
    ['with a NUL', Buffer.from(`${VALUE}\0more`), /NUL byte/],
    ['of 1 MB', Buffer.alloc(1 << 20, 'x'), /131072 bytes/],
  ];
  test.each(values)('a value that is %s is refused, and what was stored stays', (_, input, message) => {
    const options = place();
    store(options, 'MY_KEY');
    const result = store(options, 'MY_KEY', input);
    expect(result).toMatchObject({ code: 125, stderr: expect.stringMatching(message) });
    expect(result.stderr).not.toContain(VALUE);
    expect(runCordon(['run', '--credential', 'MY_KEY', '--', 'printenv', 'MY_KEY'], options).stdout).toBe(`${VALUE}\n`);
  });

  test('a newline inside a value stays, byte for byte', () => {
    const options = place();
    const bytes = Buffer.from('line one\nline two\r\n\xff\x01 end', 'latin1');
    store(options, 'MY_KEY', Buffer.concat([bytes, Buffer.from('\n')]));
    const shown = runCordon(
      ['run', '--credential', 'MY_KEY', '--', 'sh', '-c', 'printf %s "$MY_KEY" | od -An -v -tx1 | tr -d " \\n"'],
      options,
    );
    expect(shown.stdout).toBe(bytes.toString('hex'));
  });

  test('a name that cannot be one, a word that is none', () => {
    const options = place();
    expect(runCordon(['creds', 'set', '../x'], options).stderr).toContain("'../x' cannot be the name of a credential");
    expect(runCordon(['creds', 'lits'], options).stderr).toContain('did you mean cordon creds list?');
  });

  test('no keyring here: said so, and nothing changes', () => {
    const options = place();
    store(options, 'MY_KEY');
    expect(runCordon(['creds', 'init', '--keyring'], options)).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/keyring/),
    });
    expect(runCordon(['creds', 'test', 'MY_KEY'], options).code).toBe(0);
  });

  test('a passphrase needs a terminal, and without one nothing is launched', () => {
    const options = place();
    const begun = inTerminal(
      options,
      ['creds', 'init', '--passphrase'],
      [
        ['expect', 'New passphrase'],
        ['send', 'long passphrase\r'],
        ['expect', 'same again'],
        ['send', 'long passphrase\r'],
      ],
    );
    expect(begun).toMatchObject({ exit: 0, restored: true });
    expect(begun.shown).not.toContain('long passphrase');
    const stored = inTerminal(
      options,
      ['creds', 'set', 'MY_KEY'],
      [
        ['expect', 'Value of MY_KEY: '],
        ['send', `wrong\u007f\u0015${VALUE}\r`],
        ['expect', 'Passphrase'],
        ['send', 'long passphrase\r'],
      ],
    );
    expect(stored).toMatchObject({ exit: 0, restored: true });
    expect(stored.shown).not.toContain(VALUE);
    const used = inTerminal(
      options,
      ['run', '--credential', 'MY_KEY', '--', 'printenv', 'MY_KEY'],
      [
        ['expect', 'Passphrase'],
        ['send', 'long passphrase\r'],
      ],
    );
    expect(used.shown).toContain(VALUE);
    const refused = runCordon(['run', '--credential', 'MY_KEY', '--', 'touch', 'started'], options);
    expect(refused).toMatchObject({ code: 125, stderr: expect.stringContaining('no terminal to ask on') });
    expect(readdirSync(options.home)).not.toContain('started');
  });

  test('a prompt can be left with Ctrl-C', () => {
    const options = place();
    expect(
      inTerminal(
        options,
        ['creds', 'set', 'MY_KEY'],
        [
          ['expect', 'Value of'],
          ['send', 'half\u0003'],
        ],
      ),
    ).toMatchObject({ exit: 130, restored: true });
    expect(runCordon(['creds', 'list'], options).stdout).toContain('empty');
  });

  interface Shown {
    readonly shown: string;
    readonly exit: number;
    readonly restored: boolean;
  }

  function inTerminal(
    { home }: { home: string },
    args: readonly string[],
    steps: readonly (readonly [string, string])[],
  ): Shown {
    const { uid, gid } = statSync(home);
    const { stdout, stderr } = spawnSync('setsid', ['python3', TERMINAL, cordonProgram(), ...args], {
      uid,
      gid,
      cwd: home,
      env: { PATH: '/usr/bin:/bin', HOME: home },
      input: steps.map((step) => JSON.stringify(step)).join('\n'),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Shown;
  }
});

describe('many writers at once', () => {
  test('50 processes lose nothing, on a vault that none of them has made', async () => {
    const home = freshHome('root');
    const env = { PATH: '/usr/bin:/bin', HOME: home };
    const writers = Array.from({ length: 50 }, async (_, i) => {
      const child = spawn(cordonProgram(), ['creds', 'set', `KEY_${i}`], { env, stdio: ['pipe', 'ignore', 'pipe'] });
      child.stdin.end(`value number ${i}`);
      const said = text(child.stderr);
      const [code] = await once(child, 'close');
      return code === 0 ? 'stored' : said;
    });
    expect(new Set(await Promise.all(writers))).toEqual(new Set(['stored']));
    const names = JSON.parse(runCordon(['creds', 'list', '--json'], { home }).stdout).map(
      ({ name }: { name: string }) => name,
    );
    expect(names.toSorted()).toEqual(Array.from({ length: 50 }, (_, i) => `KEY_${i}`).toSorted());
    expect(readdirSync(join(home, '.local/state/cordon/vault')).filter((name) => name !== 'identity')).toHaveLength(1);
  });

  test('writers that are killed at any moment leave a vault with all that was reported stored', async () => {
    const home = freshHome('root');
    const env = { PATH: '/usr/bin:/bin', HOME: home };
    runCordon(['creds', 'set', 'FIRST'], { home, input: 'first' });
    const writers = Array.from({ length: 16 }, async (_, i) => {
      const child = spawn(process.execPath, [join(cordonProgram(), '../../dist/cli.js'), 'creds', 'set', `KEY_${i}`], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end('value');
      const timer = setTimeout(() => child.kill('SIGKILL'), 150 + i * 20);
      const [code] = await once(child, 'close');
      clearTimeout(timer);
      return code === 0 ? [`KEY_${i}`] : [];
    });
    const stored = (await Promise.all(writers)).flat();
    const names = JSON.parse(runCordon(['creds', 'list', '--json'], { home }).stdout).map(
      ({ name }: { name: string }) => name,
    );
    expect(names).toEqual(expect.arrayContaining(['FIRST', ...stored]));
    expect(runCordon(['creds', 'set', 'LAST'], { home, input: 'last' }).code).toBe(0);
  });
});

describe('a full disk', () => {
  test('leaves the vault as it was', () => {
    const home = freshHome('root');
    runCordon(['creds', 'set', 'A'], { home, input: 'a' });
    const limited = spawnSync('bash', ['-c', 'ulimit -f 0; exec "$0" creds set B', cordonProgram()], {
      env: { PATH: '/usr/bin:/bin', HOME: home },
      input: 'b',
      encoding: 'utf8',
    });
    expect(limited.status).not.toBe(0);
    expect(JSON.parse(runCordon(['creds', 'list', '--json'], { home }).stdout)).toMatchObject([{ name: 'A' }]);
  });
});

describe('a launch with a credential that is not there', () => {
  const sources: [string, string, RegExp][] = [
    ['vault', 'NOPE', /vault:\/\/NOPE: the vault has no such entry/],
    ['env', 'K=env://NOT_SET', /NOT_SET is not set/],
    ['file', 'K=file:///nowhere', /does not exist/],
    ['1Password', 'K=op://Work/openai/key', /op is not signed in/],
    ['Bitwarden', 'K=bw://github', /bw is not logged in/],
    ['keyring', 'K=keyring://service/account', /keyring/],
    ['a command in a flag', 'K=cmd://true', /array of words in a profile/],
    ['nothing known', 'K=http://x', /is not a source/],
    ['a target of the list', 'ld_preload=env://HOME', /cannot be injected/],
  ];
  test.each(sources)('%s: 125, the reason, nothing started', (_, credential, message) => {
    const home = freshHome('root');
    const env = { PATH: `${FIXTURES}/bin:/usr/bin:/bin`, K: 'inherited-in-its-place', NOPE: 'inherited-in-its-place' };
    const result = runCordon(
      ['run', '--allow', '*', '--credential', credential, '--', 'sh', '-c', 'echo started; env'],
      { home, env },
    );
    expect(result).toMatchObject({ code: 125, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('a source that hangs is given up', () => {
    const home = freshHome('root');
    const bin = trustedFolder('bin');
    writeFileSync(join(bin, 'op'), '#!/bin/sh\nsleep 1000\n');
    chmodSync(join(bin, 'op'), 0o755);
    const result = runCordon(
      ['run', '--credential', 'K=op://a/b/c', '--credential-timeout', '0.5', '--', 'echo', 'started'],
      { home, env: { PATH: `${bin}:/usr/bin:/bin` } },
    );
    expect(result).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('op gave no answer in time'),
    });
  });
});

describe('the source of a credential', () => {
  test('does not reach the command, nor does a password manager’s session', () => {
    const home = freshHome('root');
    writeFileSync(join(home, 'op.value'), 'value from 1password');
    const env = {
      PATH: `${FIXTURES}/bin:/usr/bin:/bin`,
      MINE: 'value-of-mine',
      OP_SESSION_my: 'session',
      OP_SERVICE_ACCOUNT_TOKEN: 'token',
    };
    const flags = ['--base', 'all', '--credential', 'A=env://MINE', '--credential', 'B=op://Work/openai/key'];
    const { stdout, code } = runCordon(['run', ...flags, '--', 'env'], { home, env });
    expect(code).toBe(0);
    expect(stdout.match(/^A=.*$/gm)).toEqual(['A=value-of-mine']);
    expect(stdout).toMatch(/^B=value from 1password$/m);
    expect(stdout).not.toMatch(/^(MINE|OP_)/m);
    expect(readFileSync(join(home, 'op.env'), 'utf8')).not.toContain('MINE');
  });

  test('a credential is there once, whatever the lists say', () => {
    const home = freshHome('root');
    runCordon(['creds', 'set', 'TOKEN_X'], { home, input: VALUE });
    const flags = [
      '--allow',
      'TOKEN_X',
      '--deny',
      'TOKEN_*',
      '--guard',
      'strip',
      '--credential',
      'TOKEN_X',
      '--credential',
      'TOKEN_X=vault://TOKEN_X',
    ];
    const { stdout } = runCordon(['run', ...flags, '--', 'env'], { home, env: { TOKEN_X: 'inherited' } });
    expect(stdout.match(/^TOKEN_X=.*$/gm)).toEqual([`TOKEN_X=${VALUE}`]);
  });
});
