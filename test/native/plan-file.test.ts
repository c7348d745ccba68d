import { chmodSync, chownSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { identityOf } from '../support/users.ts';
import { programs, run, shim } from './support.ts';

const IS_ROOT = process.getuid?.() === 0;
const ask = (path: string) => run(path, ['-c', 'echo ran']);
const launcher = () => join(programs(), 'cordon-launch');

describe('the file of a plan', () => {
  it.each([0o775, 0o757, 0o777])('is refused when others can write to it (%o)', (mode) => {
    const path = shim();
    chmodSync(path, mode);
    expect(ask(path)).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('others can write to it'),
    });
  });

  it('is refused when it belongs to another user', () => {
    const { uid, gid } = identityOf('cordon-test');
    const path = shim();
    if (IS_ROOT) chownSync(path, uid, gid);
    const strangers = IS_ROOT ? ask(path) : run(launcher(), ['/etc/hostname']);
    expect(strangers.code).toBe(125);
    if (IS_ROOT) expect(strangers.stderr).toContain(`belongs to user ${uid}, not to user 0 or root`);
  });

  it('may belong to root for everybody', () => {
    const { uid, gid } = identityOf('cordon-test');
    const folder = openFolder('launcher');
    writeFileSync(join(folder, 'tool'), run('/bin/cat', [shim()]).stdout.replace(/^#!.*\n/, ''));
    const copied = run('/usr/bin/install', ['-m755', launcher(), join(folder, 'launch')]);
    expect(copied.code).toBe(0);
    expect(run(join(folder, 'launch'), [join(folder, 'tool'), '-c', 'id -u'], IS_ROOT ? { uid, gid } : {}).stdout).toBe(
      `${uid}\n`,
    );
  });

  it('works through a symlink, a hard link and after a rename', () => {
    const path = shim();
    const folder = dirname(path);
    symlinkSync(path, join(folder, 'soft'));
    linkSync(path, join(folder, 'hard'));
    expect(ask(join(folder, 'soft')).stdout).toBe('ran\n');
    expect(ask(join(folder, 'hard')).stdout).toBe('ran\n');
    renameSync(path, join(folder, 'renamed'));
    expect(ask(join(folder, 'renamed')).stdout).toBe('ran\n');
  });

  it('works through env and with an odd argv[0]', () => {
    const path = shim();
    expect(run('/usr/bin/env', [path, '-c', 'echo ran']).stdout).toBe('ran\n');
    expect(run('/bin/bash', ['--norc', '-c', `exec -a '' ${path} -c 'echo ran'`]).stdout).toBe('ran\n');
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path), 'not a regular file'],
    ['nothing', () => undefined, 'No such file'],
    ['a named pipe', (path: string) => run('/usr/bin/mkfifo', [path]), 'not a regular file'],
    ['empty', (path: string) => writeFileSync(path, ''), 'was expected here'],
    ['too large', (path: string) => run('/usr/bin/truncate', ['-s', '9M', path]), 'too large'],
  ])('is refused when it is %s', (_, make, message) => {
    const path = join(openFolder('plan'), 'x');
    make(path);
    const { code, stderr } = run(launcher(), [path]);
    expect(stderr).toContain(message);
    expect(code).toBe(125);
  });
});

describe('a plan over a pipe', () => {
  const pipe = (text: string, fd = 3) =>
    run(
      '/bin/bash',
      ['--norc', '-c', `cat | { exec "$1" --plan-fd=${fd} 3<&0 <&-  </dev/null; }`, 'bash', launcher()],
      { input: text },
    );
  const plan =
    'cordon-plan 2\nname piped\nset A secret\ncommand /bin/sh\narg sh\narg -c\narg echo\\s$A\nisolation filter\nend\n';

  it('is carried out', () => {
    expect(pipe(plan)).toEqual({ code: 0, stdout: 'secret\n', stderr: '' });
  });

  it('may be larger than a pipe holds', () => {
    const filler = `set B ${'x'.repeat(100_000)}\n`;
    expect(pipe(plan.replace('command', `${filler}command`)).stdout).toBe('secret\n');
  });

  it('is refused when cut short, when the descriptor is closed, and when it wants the launcher arguments', () => {
    expect(pipe(plan.replace('end\n', ''))).toMatchObject({ code: 125, stderr: expect.stringContaining('cut short') });
    expect(pipe(plan, 9)).toMatchObject({ code: 125, stderr: expect.stringContaining('not open') });
    expect(pipe(plan, 1)).toMatchObject({ code: 125, stdout: '' });
    expect(pipe(plan.replace('end', 'append-args\nend'))).toMatchObject({ code: 125, stdout: '' });
  });

  it('must come through a pipe', () => {
    const { code, stderr } = run('/bin/bash', [
      '--norc',
      '-c',
      `exec "$1" --plan-fd=3 3</etc/passwd`,
      'bash',
      launcher(),
    ]);
    expect(stderr).toContain('not a pipe');
    expect(code).toBe(125);
  });
});

describe('the launcher called by hand', () => {
  it('tells its version', () => {
    expect(run(launcher(), ['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^cordon-launch \d+\.\d+\.\d+\n$/),
    });
  });

  it.each([[[]], [['--help']], [['--plan-fd=x']], [['--inner']], [['--inner', 'a', 'b']]])('refuses %j', (args) => {
    expect(run(launcher(), args)).toMatchObject({ code: 125, stdout: '', stderr: expect.stringMatching(/^cordon: /) });
  });
});
