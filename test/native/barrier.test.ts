import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS } from '../support/users.ts';
import {
  BARRIER,
  BUILDS,
  BWRAP,
  entriesOf,
  planLines,
  programs,
  Running,
  run,
  shim,
  untilForgotten,
  without,
  writeShim,
} from './support.ts';

const withBwrap = (bwrap: string, lines: readonly string[]) =>
  lines.map((line) => (line.startsWith('bwrap') ? `bwrap ${bwrap}` : line));
const withoutBwrap = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('bwrap'));

/** Where user namespaces are refused, so that bubblewrap is the only way left. */
const refused = (path: string, args: readonly string[], options = {}) => {
  const [program = '', ...words] = without('userns');
  return run(program, [...words, path, ...args], options);
};

function program(text: string): string {
  const path = join(openFolder('program'), 'bwrap');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const BROKEN = 'echo "bwrap: No permissions to create a new namespace" >&2; exit 1';

describe.each(BUILDS)('behind the barrier of the %s build', (build) => {
  const inside = (script: string, lines: readonly string[] = []) =>
    run(shim({ build, isolation: 'barrier', lines: ['allow PATH', 'set KEPT yes', ...lines] }), ['-c', script], {
      env: { CANARY: 'secret' },
    });

  it('nothing of the parent is in any process, nor in the first one', () => {
    const { stdout } = inside(
      'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"; ls -d /proc/[0-9]* | wc -l',
    );
    expect(stdout).toContain('KEPT=yes');
    expect(stdout).not.toContain('secret');
    expect(stdout).toMatch(/\n[1-9]\n$/);
  });

  it('the environment is what was sealed: no PWD is added and none changed', () => {
    const env = (lines: readonly string[]) =>
      entriesOf(
        run(shim({ build, isolation: 'barrier', lines, command: '/usr/bin/env', args: ['env', '-0'] }), [], {
          env: { PWD: '/wrong' },
        }),
      );
    expect(env(['set A 1'])).toEqual(['A=1']);
    expect(env(['set A 1', 'set PWD /elsewhere', 'set B 2'])).toEqual(['A=1', 'PWD=/elsewhere', 'B=2']);
    expect(env(['allow PWD'])).toEqual(['PWD=/wrong']);
  });

  it('the first process cannot be looked into or traced', () => {
    expect(inside('cat /proc/1/environ').code).not.toBe(0);
    expect(inside('ls /proc/1/fd/3 >/dev/null && readlink /proc/1/fd/3').code).not.toBe(0);
    expect(inside('kill -9 1; kill -STOP 1; echo alive')).toMatchObject({ code: 0, stdout: 'alive\n' });
  });

  it('orphans are reaped', () => {
    expect(
      inside('for i in 1 2 3; do (sh -c "exit 0" &) ; done; while ps -eo stat | grep -q Z; do :; done; echo clean')
        .stdout,
    ).toBe('clean\n');
  });

  it('a filter program is loaded, and one that the kernel refuses stops the start', () => {
    // getppid gives EPERM; all else is allowed.
    const word = (code: number, jt: number, jf: number, k: number) => [
      code & 255,
      code >> 8,
      jt,
      jf,
      k & 255,
      (k >> 8) & 255,
      (k >> 16) & 255,
      (k >>> 24) & 255,
    ];
    const getppid = process.arch === 'arm64' ? 173 : 110;
    const filter = Buffer.from([
      ...word(0x20, 0, 0, 0),
      ...word(0x15, 0, 1, getppid),
      ...word(0x06, 0, 0, 0x00050001),
      ...word(0x06, 0, 0, 0x7fff0000),
    ]);
    const script = `python3 -c 'import os,ctypes; print(ctypes.CDLL(None,use_errno=True).getppid())'`;
    expect(inside(script).stdout).not.toBe('-1\n');
    expect(inside(script, [`seccomp ${filter.toString('base64')}`]).stdout).toBe('-1\n');
    const bad = Buffer.from(word(0x06, 0, 0, 0).map((byte, i) => (i === 0 ? 0xff : byte)));
    expect(inside('echo ran', [`seccomp ${bad.toString('base64')}`])).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('filter was not accepted'),
    });
  });

  it('the supervisor forgets what it knew', async () => {
    const path = shim({ build, isolation: 'barrier', lines: ['set TOKEN sealed-secret', 'allow PATH'] });
    const running = new Running(path, ['-c', 'echo ready; read line'], { CANARY: 'parent-secret' });
    await running.says(/ready/);
    await untilForgotten(running.pid);
    if (process.getuid?.() === 0 && build === 'release')
      expect(memoryOf(running.pid)).not.toMatch(/sealed-secret|parent-secret/);
    running.child.stdin.end('\n');
    expect((await running.ended).code).toBe(0);
  });
});

/** All readable memory of a process, as far as /proc shows it. */
function memoryOf(pid: number): string {
  const script = `import re,sys
out=b''
memory=open('/proc/${pid}/mem','rb',0)
for line in open('/proc/${pid}/maps'):
    found=re.match(r'([0-9a-f]+)-([0-9a-f]+) r.*', line)
    if not found or '[v' in line: continue
    start,end=(int(x,16) for x in found.groups())
    memory.seek(start); out+=memory.read(end-start)
sys.stdout.buffer.write(out)`;
  const { stdout, stderr } = run('/usr/bin/python3', ['-c', script]);
  if (stdout.length < 100_000) throw new Error(`memory not read: ${stderr}`);
  return stdout;
}

describe.each(USERS)('as %s the barrier', (user) => {
  it('works', () => {
    const folder = openFolder('launcher');
    run('/usr/bin/install', ['-m755', join(programs(), 'cordon-launch'), join(folder, 'launch')]);
    writeFileSync(
      join(folder, 'plan'),
      [...planLines({ isolation: 'barrier', lines: ['allow PATH', 'landlock-scope'] }), 'append-args', 'end', ''].join(
        '\n',
      ),
    );
    const { uid, gid } = identityOf(user);
    const { code, stdout, stderr } = run(
      join(folder, 'launch'),
      [join(folder, 'plan'), '-c', 'id -u; echo $$; exit 9'],
      { uid, gid, cwd: folder },
    );
    expect({ code, stdout, stderr }).toEqual({ code: 9, stdout: `${uid}\n2\n`, stderr: '' });
  });
});

describe('when there is no barrier to be had', () => {
  const lines = (isolation: 'auto' | 'barrier', more: readonly string[] = []) => [
    ...planLines({ isolation, lines: ['allow PATH', ...more] }),
    'append-args',
  ];
  const cases: readonly (readonly [string, (all: readonly string[]) => readonly string[], string])[] = [
    ['bubblewrap is not installed', withoutBwrap, 'user namespaces are not allowed here'],
    ['bubblewrap is gone', (all) => withBwrap('/no/bwrap', all), 'bubblewrap: '],
    ['bubblewrap is broken', (all) => withBwrap(program(BROKEN), all), 'No permissions to create a new namespace'],
    ['bubblewrap says nothing', (all) => withBwrap(program('exit 1'), all), 'ended without a word'],
    ['bubblewrap is killed', (all) => withBwrap(program('kill -9 $$'), all), 'ended without a word'],
  ];

  it.each(cases)('because %s, auto warns and runs filtered', (_, change, why) => {
    const { code, stdout, stderr } = refused(writeShim(change(lines('auto'))), ['-c', 'echo "ran $CANARY"; exit 4'], {
      env: { CANARY: 'secret' },
    });
    expect(stderr).toMatch(/^cordon: tool: warning: no barrier \(.*\n$/);
    expect(stderr).toContain(why);
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'ran \n' });
  });

  it.each(cases)('because %s, barrier refuses', (_, change, why) => {
    const { code, stdout, stderr } = refused(writeShim(change(lines('barrier'))), ['-c', 'echo ran']);
    expect(stderr).toContain(why);
    expect(stderr).toContain('cordon doctor');
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  it.each(cases)('because %s, an explicit policy refuses', (_, change) => {
    const { code, stdout, stderr } = refused(writeShim(change(lines('auto', ['explicit a\\sfilesystem\\spolicy']))), [
      '-c',
      'echo ran',
    ]);
    expect(stderr).toContain('a filesystem policy, which needs the barrier');
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  it.each(['mount_setattr', 'open_tree', 'fsopen'])('since the kernel has no %s, bubblewrap stands in', (call) => {
    const [program = '', ...words] = without(call);
    const { code, stdout, stderr } = run(program, [
      ...words,
      writeShim(lines('barrier')),
      '-c',
      'cat /proc/1/comm; exit 3',
    ]);
    expect({ code, stdout, stderr }).toEqual({ code: 3, stdout: 'cordon-inner\n', stderr: '' });
  });

  it('what is used up is never a reason to do without', () => {
    const [program = '', ...words] = without('full');
    const { code, stdout, stderr } = run(program, [...words, writeShim(lines('auto')), '-c', 'echo ran']);
    expect(stderr).toContain('used up');
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  it('this very sandbox alone fails: nothing is given up, nothing runs', () => {
    const { code, stdout, stderr } = run(writeShim([...lines('auto'), 'read /no/such']), ['-c', 'echo ran']);
    expect(stderr).toContain('/no/such');
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  it('an explicit policy with isolation filter refuses', () => {
    const path = writeShim([...planLines({ lines: ['explicit a\\sfilesystem\\spolicy'] }), 'append-args']);
    expect(run(path, ['-c', 'echo ran'])).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('cannot hold'),
    });
  });

  it('something that pretends to be bubblewrap gets no further than a refusal', () => {
    // It passes for one that works when it is tried bare.
    const garbage = program(
      'case "$*" in *--version*) exit 0;; esac; printf xxxxxxxxxxxxxxxxxxxxxxxx >&3; exec sleep 1000',
    );
    expect(refused(writeShim(withBwrap(garbage, lines('auto'))), ['-c', 'echo ran'])).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('no report'),
    });
  });
});

describe('a parent that is named in the plan', () => {
  const plan = (parent: number, isolation: 'filter' | 'barrier') =>
    [
      'cordon-plan 2',
      `parent ${parent}`,
      'set PATH /usr/bin:/bin',
      'command /bin/sh',
      'arg sh',
      'arg -c',
      'arg echo\\sready;exec\\ssleep\\s1000',
      `isolation ${isolation}`,
      'supervise',
      `bwrap ${BWRAP}`,
      ...BARRIER,
      'end',
      '',
    ].join('\n');

  it.each(['filter', 'barrier'] as const)('ends everything when it ends (%s)', async (isolation) => {
    const script = `const { spawn } = require('node:child_process');
const child = spawn(process.argv[1], ['--plan-fd=3'], { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
child.stdio[3].end(process.argv[2].replace('parent 1', 'parent ' + process.pid));`;
    const parent = spawn(process.execPath, ['-e', script, join(programs(), 'cordon-launch'), plan(1, isolation)]);
    await once(parent.stdout, 'data');
    parent.kill('SIGKILL');
    await once(parent, 'close'); // Only when nobody holds the output any more.
    expect(parent.signalCode).toBe('SIGKILL');
  });

  it('must be the parent', () => {
    const script = `"$1" --plan-fd=3 3< <(printf %s "$2") </dev/null`;
    const { code, stdout, stderr } = run('/bin/bash', [
      '--norc',
      '-c',
      script,
      'bash',
      join(programs(), 'cordon-launch'),
      plan(1, 'filter'),
    ]);
    expect(stderr).toContain('started this and is gone');
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });
});
