import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshHome, installedPackage, type Ran, runCordon } from '../support/cordon.ts';
import { trustedFolder, trustedHelpers } from '../support/trusted-folder.ts';

const FIXTURES = trustedHelpers();

/** Unlike anything else on the machine, and long enough to be found in any encoding. */
const newCanary = () => `canary-${randomBytes(12).toString('hex')}`;

const canaries: string[] = [];
let home = '';
let env: Record<string, string> = {};
const flags: string[] = [];

/** Twenty values, through every source there is without a desktop: vault, file, variable, command, both password managers. */
beforeAll(() => {
  home = freshHome('root');
  const take = () => {
    const value = newCanary();
    canaries.push(value);
    return value;
  };
  env = {
    PATH: `${FIXTURES}/bin:/usr/bin:/bin`,
    CORDON_HOME: join(home, 'cordon'),
    OP_SESSION_my: take(),
    BW_SESSION: 'unlocked',
  };
  const credential = (target: string, source: string) => flags.push('--credential', `${target}=${source}`);
  for (let i = 0; i < 5; i++) {
    runCordon(['creds', 'set', `VAULTED_${i}`], { home, env, input: take() });
    credential(`FROM_VAULT_${i}`, `vault://VAULTED_${i}`);
    writeFileSync(join(home, `file-${i}`), take(), { mode: 0o600 });
    credential(`FROM_FILE_${i}`, `file://${home}/file-${i}`);
    env[`MINE_${i}`] = take();
    credential(`FROM_ENV_${i}`, `env://MINE_${i}`);
  }
  writeFileSync(join(home, 'op.value'), take());
  credential('FROM_OP', 'op://Work/openai/key');
  writeFileSync(join(home, 'bw.value'), take());
  writeFileSync(join(home, 'bw.logged-in'), '');
  credential('FROM_BW', 'bw://github/password');
  mkdirSync(join(env.CORDON_HOME as string, 'profiles'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'printed-1'), take());
  writeFileSync(join(home, 'printed-2'), take());
  const commands = [1, 2].map((i) => ({ target: `FROM_CMD_${i}`, command: ['cat', `${home}/printed-${i}`] }));
  writeFileSync(
    join(env.CORDON_HOME as string, 'profiles', 'canaries.json'),
    JSON.stringify({ env_credentials: commands }),
    { mode: 0o600 },
  );
  flags.push('--profile', 'canaries');
});

const run = (args: readonly string[], more: Record<string, string> = {}): Ran =>
  runCordon(args, { home, env: { ...env, ...more } });

/** In the clear, in hex or in base64 at any place. */
function found(text: string): string[] {
  const forms = (canary: string) => [
    canary,
    Buffer.from(canary).toString('hex'),
    ...[0, 1, 2].map((skip) => Buffer.from(canary).subarray(skip).toString('base64').slice(0, 30)),
  ];
  return canaries.filter((canary) => forms(canary).some((form) => text.includes(form)));
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}

describe('twenty canaries', () => {
  test('reach the command, all of them: what follows could fail', () => {
    const { code, stdout } = run(['run', ...flags, '--', 'env']);
    expect(code).toBe(0);
    expect(canaries.length).toBeGreaterThanOrEqual(20);
    // All but the session of the password manager.
    expect(found(stdout)).toEqual(canaries.slice(1));
  });

  test.each(['filter', 'barrier'])('are in no argv of any process while the command runs (%s)', (isolation) => {
    const script = 'cat /proc/[0-9]*/cmdline | tr "\\0" " "';
    const { code, stdout } = run(['run', ...flags, '--isolation', isolation, '--', 'sh', '-c', script]);
    expect(code).toBe(0);
    expect(stdout).toContain('cat /proc');
    expect(found(stdout)).toEqual([]);
  });

  test('are in no argv of the helpers either', () => {
    const bin = trustedFolder('bin');
    for (const name of ['op', 'bw'])
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\ncat /proc/[0-9]*/cmdline >"$HOME/argv.${name}"\nexec ${FIXTURES}/bin/${name} "$@"\n`,
        { mode: 0o755 },
      );
    expect(run(['run', ...flags, '--', 'true'], { PATH: `${bin}:/usr/bin:/bin` }).code).toBe(0);
    for (const name of ['op', 'bw']) {
      const argv = readFileSync(join(home, `argv.${name}`), 'latin1');
      expect(argv).toContain(name);
      expect(found(argv)).toEqual([]);
    }
  });

  const shown: [string, () => string[]][] = [
    ['a rehearsal', () => ['run', ...flags, '--dry-run', '--', 'true']],
    ['a rehearsal in JSON', () => ['run', ...flags, '--dry-run', '--json', '--', 'true']],
    ['explain', () => ['explain', ...flags]],
    ['explain in JSON', () => ['explain', ...flags, '--json']],
    ['a launch with all logs on', () => ['run', ...flags, '--', 'echo', 'done']],
    [
      'redacted output',
      () => [
        'run',
        ...flags,
        '--redact',
        '--',
        'sh',
        '-c',
        'env; env >&2; env | base64 -w0; env | od -An -v -tx1 | tr -d " \\n"',
      ],
    ],
    ['the list of the vault', () => ['creds', 'list']],
    ['the list of the vault in JSON', () => ['creds', 'list', '--json']],
    ['a test of a source', () => ['creds', 'test', 'VAULTED_1']],
    ['the audit', () => ['audit', '--json']],
    [
      'errors of other sources',
      () => ['run', ...flags, '--credential', 'A=op://No/such/thing', '--credential', 'B=bw://none', '--', 'true'],
    ],
    ['a command that is not there', () => ['run', ...flags, '--', 'no-such-command']],
    ['a bad target', () => ['run', ...flags, '--credential', 'LD_PRELOAD=env://MINE_1', '--', 'true']],
  ];
  test.each(shown)('are not in %s', (_, args) => {
    const { stdout, stderr } = run(args(), {
      CORDON_LOG: 'debug',
      CORDON_SHIM_DEBUG: '1',
      NODE_DEBUG: 'child_process,net,stream',
    });
    expect(stdout + stderr).not.toBe('');
    expect(found(stdout + stderr)).toEqual([]);
  });

  describe('when Cordon itself breaks', () => {
    const faults: Record<string, string> = {
      'an error is thrown': 'throw new Error(process.env.CANARY)',
      'a promise is rejected': 'Promise.reject(new Error(process.env.CANARY))',
      'something that is no error is thrown': 'throw process.env.CANARY',
    };
    const onceItRuns = (fault: string) =>
      `const timer = setInterval(() => { if (!process.listenerCount('unhandledRejection')) return; clearInterval(timer); ${fault}; }, 5);`;

    test.each(Object.entries(faults))('%s', (_, fault) => {
      const canary = canaries[0] as string;
      const broken = join(home, 'broken.mjs');
      writeFileSync(broken, onceItRuns(fault));
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--import', broken, join(installedPackage(), 'dist/cli.js'), 'run', '--', 'sleep', '5'],
        {
          env: { PATH: '/usr/bin:/bin', HOME: home, CANARY: canary },
          encoding: 'utf8',
        },
      );
      expect(status).toBe(125);
      expect(stderr).toMatch(/^cordon: unexpected /);
      expect(found(stdout + stderr)).toEqual([]);
    });
  });

  test('are in no file that Cordon wrote, nor in the temporary folder', () => {
    expect(run(['run', ...flags, '--redact', '--', 'env']).code).toBe(0);
    const own = filesUnder(env.CORDON_HOME as string);
    expect(own.some((path) => path.endsWith('.age'))).toBe(true);
    expect(own.some((path) => path.endsWith('audit.jsonl'))).toBe(true);
    for (const path of own) expect(found(readFileSync(path, 'latin1')), path).toEqual([]);
    const temporary = readdirSync(tmpdir(), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(tmpdir(), entry.name));
    for (const path of temporary.filter((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0 < 1e7))
      expect(found(readFileSync(path, 'latin1')), path).toEqual([]);
  });
});
