import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { without } from '../native/support.ts';
import { installedPackage, runAs } from '../support/cordon.ts';
import { identityOf, USERS } from '../support/users.ts';
import { FILTER_ONLY, ToolBox, variablesOf } from './support.ts';

const CANARIES = { AWS_SECRET_ACCESS_KEY: 'canary-aws', GH_TOKEN: 'canary-gh' };

function boxWithEnv(user: (typeof USERS)[number] = 'root'): ToolBox {
  const box = new ToolBox(user);
  box.did('tool', 'config', 'env', 'env', 'base', 'os-common');
  return box;
}

describe.each(USERS)('as %s', (user) => {
  test('with a policy there is a shim, without one the direct link', () => {
    const box = new ToolBox(user);
    box.did('tool', 'add', 'env');
    expect(readlinkSync(box.path('env'))).toBe('/usr/bin/env');
    box.did('tool', 'config', 'env', 'env', 'base', 'none');
    expect(box.shim('env')).toMatch(/^#!\/.*\/cordon-launch\ncordon-plan 2\n/);
    expect(statSync(box.path('env')).mode & 0o777).toBe(0o755);
    box.did('tool', 'config', 'env', 'env', 'base', 'all');
    expect(readlinkSync(box.path('env'))).toBe('/usr/bin/env');
    box.did('tool', 'config', 'env', 'env', 'deny', '*TOKEN*');
    expect(lstatSync(box.path('env')).isFile()).toBe(true);
    box.did('tool', 'config', 'env', 'env', 'reset');
    expect(readlinkSync(box.path('env'))).toBe('/usr/bin/env');
  });

  test('the barrier: no process outside is seen, and the own environment is the filtered one everywhere in /proc', () => {
    const box = boxWithEnv(user);
    box.did('tool', 'config', 'sh', 'env', 'base', 'os-common');
    const { code, stdout } = box.start(
      'sh',
      ['-c', 'cat /proc/[0-9]*/environ /proc/self/environ; ls -d /proc/[0-9]* | wc -l'],
      { ...box.env, ...CANARIES },
    );
    expect(code).toBe(0);
    expect(stdout).not.toContain('canary');
    expect(Number(stdout.trim().split('\n').at(-1)?.replace(/.*\0/s, ''))).toBeLessThan(8);
  });

  test('from inside, the tool can change neither its shim nor its policy', () => {
    const box = boxWithEnv(user);
    box.did('tool', 'config', 'sh', 'env', 'base', 'os-common');
    const before = [box.shim('sh'), box.policy()];
    const attempts = [
      'echo x >>"$1"',
      'rm -f "$1"',
      'mv "$1" "$1".old',
      'chmod 777 "$1"',
      'mv "$(dirname "$1")" /tmp/elsewhere.$$',
      `mv ${box.cordonHome} ${box.cordonHome}.old`,
      `rm -rf ${box.cordonHome}`,
      `echo x >>${box.config}`,
      `mv ${box.config} ${box.home}/x`,
    ];
    for (const attempt of attempts)
      expect([attempt, box.start('sh', ['-c', attempt, 'sh', box.path('sh')]).code]).not.toEqual([attempt, 0]);
    expect([box.shim('sh'), box.policy()]).toEqual(before);
  });

  test('symlinked, renamed, hard-linked, copied, through env and with an odd argv[0] it works', () => {
    const box = boxWithEnv(user);
    const other = box.folder(join(box.home, 'other'));
    symlinkSync(box.path('env'), join(other, 'linked'));
    linkSync(box.path('env'), join(other, 'hard'));
    copyFileSync(box.path('env'), join(other, 'copied'));
    const { uid, gid } = identityOf(user);
    spawnSync('chown', [`${uid}:${gid}`, join(other, 'copied')]);
    const options = { user, home: box.home, env: { ...box.env, ...CANARIES } };
    const commands = [['linked'], ['hard'], ['copied']].map(([name]) => [join(other, name as string), '-0']);
    const through = [
      ['/usr/bin/env', box.path('env'), '-0'],
      ['/bin/bash', '-c', `exec -a odd ${box.path('env')} -0`],
      ['/bin/bash', '-c', `exec -a '' ${box.path('env')} -0`],
      ['/bin/sh', '-c', `cd ${box.bin} && ./env -0`],
    ];
    for (const [program, ...args] of [...commands, ...through]) {
      const { code, stdout, stderr } = runAs(program as string, args, options);
      expect([program, code, stderr, Object.keys(variablesOf(stdout)).sort()]).toEqual([
        program,
        0,
        '',
        ['HOME', 'PATH'],
      ]);
    }
    renameSync(box.path('env'), join(other, 'renamed'));
    expect(runAs(join(other, 'renamed'), ['-0'], options).code).toBe(0);
  });

  test('from cron, without HOME, TERM or PATH, it works', () => {
    const box = new ToolBox(user);
    box.did('tool', 'config', 'env', 'env', 'base', 'os-common');
    expect(box.start('env', ['-0'], { SHELL: '/bin/sh', LOGNAME: 'x', SECRET: 'canary' }, '/')).toEqual({
      code: 0,
      stdout: 'SHELL=/bin/sh\0LOGNAME=x\0',
      stderr: '',
    });
    expect(box.start('env', ['-0'], {}, '/')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a hand edit takes effect at the next start', () => {
    const box = boxWithEnv(user);
    box.write(box.config, `# by hand\n${box.policy().replace('os-common', 'none')}env_allow = ["HAND_*"]\n`);
    const env = { ...box.env, HAND_MADE: 'yes' };
    expect(variablesOf(box.start('env', ['-0'], env).stdout)).toEqual({ HAND_MADE: 'yes' });
    const rebuilt = box.shim('env');
    expect(variablesOf(box.start('env', ['-0'], env).stdout)).toEqual({ HAND_MADE: 'yes' });
    expect(box.shim('env')).toBe(rebuilt);
  });
});

test('a shim of root works for another user, and says why when it is out of date for them', () => {
  const box = boxWithEnv();
  const stranger = {
    user: 'cordon-test' as const,
    home: box.home,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: '/', ...CANARIES },
  };
  spawnSync('chmod', ['755', box.home, box.cordonHome, box.bin]);
  expect(runAs(box.path('env'), ['-0'], stranger)).toMatchObject({ code: 0, stdout: 'PATH=/usr/bin:/bin\0HOME=/\0' });
  utimesSync(box.config, 1, 1);
  const { code, stdout, stderr } = runAs(box.path('env'), ['-0'], stranger);
  expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  expect(stderr).toMatch(/you may not write there/);
  expect(stderr).toMatch(/cordon\.toml: changed, and the policy could not be applied anew/);
});

test('a shim that others could have written is refused', () => {
  const box = boxWithEnv();
  spawnSync('chmod', ['775', box.path('env')]);
  expect(box.start('env')).toMatchObject({
    code: 125,
    stdout: '',
    stderr: expect.stringContaining('others can write to it'),
  });
});

test('a broken hand edit stops the tool with file, line and column', () => {
  const box = boxWithEnv();
  box.write(box.config, '[tools.env]\nenv_base = "os-comon"\n');
  const { code, stdout, stderr } = box.start('env');
  expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  expect(stderr).toContain(`${box.config}:2:12: expected one of all, none, os-common, not 'os-comon'`);
  expect(stderr).toContain('did you mean os-common?');
});

test('a policy file that is gone is no permission to run without one', () => {
  const box = boxWithEnv();
  rmSync(box.config);
  expect(box.start('env')).toMatchObject({
    code: 125,
    stdout: '',
    stderr: expect.stringContaining('the policy file is gone'),
  });
});

test('a section taken out by hand lets the tool run as it is, and apply tidies up', () => {
  const box = boxWithEnv();
  box.did('tool', 'config', 'true', 'env', 'base', 'none');
  box.write(box.config, '[tools.true]\nenv_base = "none"\n');
  expect(variablesOf(box.start('env', ['-0'], { ...box.env, ...CANARIES }).stdout)).toMatchObject(CANARIES);
  expect(box.did('tool', 'apply')).toContain('env: removed');
  expect(readdirSync(box.bin)).toEqual(['true']);
});

test('the tool that moved or vanished: 127, and how to get it back', () => {
  const box = new ToolBox();
  const path = box.tool('mine', '#!/bin/sh\necho here\n');
  box.did('tool', 'config', 'mine', 'env', 'base', 'none');
  mkdirSync(join(box.home, 'elsewhere'));
  renameSync(path, join(box.home, 'elsewhere', 'mine'));
  expect(box.start('mine')).toEqual({
    code: 127,
    stdout: '',
    stderr: `cordon: mine: ${path}: not found; \`cordon tool add mine\` looks for it again\n`,
  });
  box.did('tool', 'add', join(box.home, 'elsewhere', 'mine'));
  expect(box.start('mine')).toEqual({ code: 0, stdout: 'here\n', stderr: '' });
});

test('a launcher that was removed is a clear error, and doctor says so', () => {
  const box = boxWithEnv();
  box.write(box.path('env'), box.shim('env').replace(/^#!.*\n/, '#!/gone/cordon-launch\n'), 0o755);
  const { status, stderr } = spawnSync('/bin/bash', ['-c', box.path('env')], { env: box.env, encoding: 'utf8' });
  expect([126, 127]).toContain(status);
  expect(stderr).toContain(box.path('env'));
  expect(box.did('doctor')).toContain('env needs the launcher /gone/cordon-launch, which is gone');
  box.did('tool', 'apply');
  expect(box.start('env').code).toBe(0);
});

test('target resolution skips our own folder and everything that leads there', () => {
  const box = boxWithEnv();
  const other = box.folder(join(box.home, 'first'));
  symlinkSync(box.path('env'), join(other, 'env'));
  copyFileSync(box.path('env'), join(box.tools, 'env'));
  const { stdout } = box.cordon(['tool', 'add', 'env'], { PATH: `${other}:${box.bin}:${box.tools}:/usr/bin` });
  expect(stdout).toBe('env → /usr/bin/env\n');
  expect(box.cordon(['tool', 'add', box.path('env')])).toMatchObject({
    code: 126,
    stderr: expect.stringContaining("one of Cordon's own shims"),
  });
  expect(box.start('env').code).toBe(0);
});

describe('protection levels', () => {
  test('without a barrier: filter, with one warning in each terminal session', () => {
    const box = boxWithEnv();
    const script =
      'a=$("$1" -0 2>&1 >/dev/null); b=$("$1" -0 2>&1 >/dev/null); c=$(CORDON_POLICY_QUIET=1 setsid -w "$1" -0 2>&1 >/dev/null); d=$(setsid -w "$1" -0 2>&1 >/dev/null); printf "%s|%s|%s|%s" "$a" "$b" "$c" "$d"';
    const { stdout } = spawnSync(
      'setsid',
      ['-w', ...without('namespaces'), 'sh', '-c', script, 'sh', box.path('env')],
      {
        env: box.env,
        encoding: 'utf8',
      },
    );
    const [first, second, quiet, otherSession] = stdout.split('|');
    expect(first).toMatch(/^cordon: env: warning: no barrier/);
    expect(otherSession).toBe(first);
    expect([second, quiet]).toEqual(['', '']);
    expect(readdirSync(join(box.cordonHome, 'state')).filter((name) => name.startsWith('policy-warned-')).length).toBe(
      2,
    );
  });

  test('when bubblewrap appears the shim takes it up', () => {
    const box = boxWithEnv();
    const lacking = box
      .shim('env')
      .replace('bwrap /usr/bin/bwrap\n', '')
      .replace('end\n', 'expect absent /usr/bin/bwrap\nend\n');
    box.write(box.path('env'), lacking, 0o755);
    expect(box.start('env')).toMatchObject({ code: 0, stderr: '' });
    expect(box.shim('env')).toContain('\nbwrap /usr/bin/bwrap\n');
  });

  test('the control variables are read and never reach the tool', () => {
    const box = new ToolBox();
    box.did('tool', 'config', 'env', 'env', 'base', 'all');
    box.did('tool', 'config', 'env', 'env', 'deny', 'NOTHING');
    const controls = {
      ...FILTER_ONLY,
      CORDON_HOME: box.cordonHome,
      CORDON_SHIM_DEBUG: '1',
      CORDON_SHIM_VERBOSE: '1',
      CORDON_LOG: 'debug',
    };
    for (const quietly of [controls, { ...controls, CORDON_DISABLE_BWRAP: '0' }]) {
      expect(variablesOf(box.start('env', ['-0'], { ...quietly, KEPT: '1' }).stdout)).toEqual({ KEPT: '1' });
    }
  });

  test('debug output: three lines on standard error, nothing on standard output', () => {
    const box = boxWithEnv();
    box.did('tool', 'config', 'env', 'env', 'allow', '*RUFF*');
    box.did('tool', 'config', 'env', 'env', 'deny', 'RUFF_SECRET_TOKEN');
    const env = { HOME: '/h', PATH: '/usr/bin', RUFF_X: '1', RUFF_SECRET_TOKEN: 's', GH_TOKEN: 's' };
    const plain = box.start('env', ['-0'], env);
    for (const name of ['CORDON_SHIM_DEBUG', 'CORDON_SHIM_VERBOSE']) {
      const { stdout, stderr } = box.start('env', ['-0'], { ...env, [name]: '1' });
      expect(stdout).toBe(plain.stdout);
      expect(stderr).toBe(
        "[cordon shim: env] base='os-common' allow=['*RUFF*'] deny=['RUFF_SECRET_TOKEN']\n" +
          '[cordon shim: env] env passed (3 vars): HOME PATH RUFF_X\n' +
          `[cordon shim: env] env blocked (3 vars): ${name} GH_TOKEN RUFF_SECRET_TOKEN\n`,
      );
    }
  });

  test('a shim inside a shim works', () => {
    const box = boxWithEnv();
    box.did('tool', 'config', 'sh', 'env', 'base', 'os-common');
    const { code, stdout, stderr } = box.start('sh', ['-c', 'env -0; env -0'], { ...box.env, ...CANARIES });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('canary');
  });
});

test('every start is in the audit log, with names and without values', () => {
  const box = boxWithEnv();
  box.start('env', ['-0', '-u', 'x'], { ...box.env, ...CANARIES });
  box.start('env', ['-0'], { ...box.env, ...CANARIES, ...FILTER_ONLY });
  const [first, second] = JSON.parse(box.did('audit', '--json')) as Record<string, unknown>[];
  expect(first).toMatchObject({
    command: '/usr/bin/env',
    policy: 'tool env',
    arguments: 3,
    isolation: 'barrier',
    exit: 0,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect(second).toMatchObject({ isolation: 'filter', exit: null });
  expect(readFileSync(join(box.cordonHome, 'state', 'audit.jsonl'), 'utf8')).not.toContain('canary');
});

test('exit codes, signals, arguments and input arrive as they are', () => {
  const box = new ToolBox();
  box.did('tool', 'config', 'sh', 'env', 'base', 'os-common');
  for (const control of [{}, FILTER_ONLY]) {
    const env = { ...box.env, ...control };
    expect(box.start('sh', ['-c', 'exit 7'], env).code).toBe(7);
    expect(box.start('sh', ['-c', 'kill -9 $$'], env).code ?? 137).toBe(137);
    const odd = ['', ' ', 'a b', '*', '--', '-x', 'ä\n'];
    expect(box.start('sh', ['-c', 'printf "[%s]" "$@"', 'sh', ...odd], env).stdout).toBe(
      odd.map((one) => `[${one}]`).join(''),
    );
    expect(runAs(box.path('sh'), ['-c', 'cat'], { user: 'root', home: box.home, env, input: 'in\0put' }).stdout).toBe(
      'in\0put',
    );
  }
  expect(installedPackage()).not.toBe('');
});
