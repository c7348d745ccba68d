import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { planLines, run, shim, without, writeShim } from './support.ts';

const WARNING = /^cordon: tool: warning: no barrier \(/;

function degraded(folder: string, more: readonly string[] = []): string {
  const lines = planLines({ isolation: 'auto', lines: ['allow PATH', 'control CORDON_POLICY_QUIET'] }).filter(
    (line) => !line.startsWith('bwrap'),
  );
  return writeShim([...lines, 'append-args', `warn-dir ${folder}`, ...more]);
}

/** Each call in a terminal session of its own. */
const inSession = (script: string, path: string, env: Record<string, string> = {}) =>
  run('/usr/bin/setsid', ['-w', ...without('userns'), 'sh', '-c', script, path], { env });

describe('the warning that there is no barrier', () => {
  it('comes once for a terminal session, and again in the next', () => {
    const folder = openFolder('state');
    const path = degraded(folder);
    const first = inSession('"$0" -c true; "$0" -c true; "$0" -c true', path);
    expect(first.stderr).toMatch(WARNING);
    expect(first.stderr.match(/warning/g)).toHaveLength(1);
    expect(inSession('"$0" -c true', path).stderr).toMatch(WARNING);
    expect(readdirSync(folder).filter((name) => /^policy-warned-\d+-\d+$/.test(name))).toHaveLength(2);
  });

  it('is not held back by the marker of an earlier session with the same id', () => {
    const folder = openFolder('state');
    const session = inSession(`: >${folder}/policy-warned-$$-1; "$0" -c true; "$0" -c true`, degraded(folder));
    expect(session.stderr.match(/warning/g)).toHaveLength(1);
  });

  it('comes each time when the marker cannot be made', () => {
    for (const folder of ['/proc/no/such', '/dev/null', '/proc/self']) {
      expect(inSession('"$0" -c true; "$0" -c true', degraded(folder)).stderr.match(/warning/g)).toHaveLength(2);
    }
  });

  it('makes its folder, and follows no link', () => {
    const folder = join(openFolder('state'), 'new');
    const target = join(openFolder('target'), 'planted');
    inSession('"$0" -c true', degraded(folder));
    expect(readdirSync(folder)).toHaveLength(1);
    const session = inSession(
      `ln -s ${target} ${folder}/policy-warned-$$-$(cut -d' ' -f22 /proc/$$/stat); "$0" -c true`,
      degraded(folder),
    );
    expect(session.code).toBe(0);
    expect(existsSync(target)).toBe(false);
  });

  it('is silenced by CORDON_POLICY_QUIET=1, which never reaches the tool', () => {
    const path = degraded(openFolder('state'));
    const { stderr, stdout } = inSession('"$0" -c "env"', path, { CORDON_POLICY_QUIET: '1' });
    expect(stderr).toBe('');
    expect(stdout).not.toContain('CORDON');
    expect(inSession('"$0" -c true', path, { CORDON_POLICY_QUIET: '0' }).stderr).toMatch(WARNING);
  });

  it('comes with CORDON_DISABLE_BWRAP=1, which an explicit policy refuses', () => {
    const disabled = { env: { CORDON_DISABLE_BWRAP: '1' } };
    const auto = shim({ isolation: 'auto', lines: ['allow PATH'] });
    expect(run(auto, ['-c', 'test $$ -gt 2; echo $?'], disabled)).toMatchObject({
      code: 0,
      stdout: '0\n',
      stderr: expect.stringContaining('CORDON_DISABLE_BWRAP is set'),
    });
    expect(run(auto, ['-c', 'echo $$']).stdout).toBe('2\n');
    const explicit = shim({ isolation: 'auto', lines: ['explicit a\\sfilesystem\\spolicy'] });
    expect(run(explicit, ['-c', 'echo ran'], disabled)).toMatchObject({ code: 125, stdout: '' });
    expect(run(shim({ isolation: 'barrier' }), ['-c', 'echo ran'], disabled)).toMatchObject({ code: 125, stdout: '' });
  });
});

describe('the debug output', () => {
  const lines = [
    'control CORDON_SHIM_DEBUG',
    'allow B*',
    'allow PATH',
    'set SET x',
    "debug-head [cordon\\sshim:\\stool]\\sbase='none'",
  ];
  const env = { B2: '1', B1: '1', Z: '1', A: '1', '\x1b[31mRED\n': '1' };

  it.each(['CORDON_SHIM_DEBUG', 'CORDON_SHIM_VERBOSE'])(
    'has three lines with %s, on stderr only, sorted and with nothing that steers a terminal',
    (name) => {
      const path = shim({ lines: [...lines, 'control CORDON_SHIM_VERBOSE'], command: '/bin/true', args: ['true'] });
      expect(run(path, [], { env: { ...env, [name]: '1' } })).toEqual({
        code: 0,
        stdout: '',
        stderr: [
          "[cordon shim: tool] base='none'",
          '[cordon shim: tool] env passed (4 vars): B1 B2 PATH SET',
          `[cordon shim: tool] env blocked (4 vars): \\x1b[31mRED\\x0a A ${name} Z`,
          '',
        ].join('\n'),
      });
    },
  );

  it('is not there without', () => {
    expect(run(shim({ lines }), ['-c', 'true'], { env }).stderr).toBe('');
  });
});

it('messages escape what could steer a terminal', () => {
  const path = shim({ command: '/no/\\x1b[31m\\xff', args: ['x'], name: 'tool' });
  expect(run(path).stderr).toMatch(/^cordon: tool: \/no\/\\x1b\[31m\\xff: [\x20-\x7e]+\n$/);
});

it('a marker folder that is a link to elsewhere is used as the folder it is', () => {
  const real = openFolder('real');
  const link = join(openFolder('link'), 'to');
  symlinkSync(real, link);
  mkdirSync(join(real, 'other'));
  inSession('"$0" -c true', degraded(link));
  expect(readdirSync(real)).toHaveLength(2);
});
