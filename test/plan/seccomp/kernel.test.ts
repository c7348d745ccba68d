import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Arch, seccompProgram } from '../../../src/plan/seccomp/index.ts';
import { openFolder } from '../../support/project.ts';
import { identityOf, USERS, type User } from '../../support/users.ts';

const PROBES = new URL('probes.py', import.meta.url).pathname;
const folder = openFolder('seccomp');
const filter = join(folder, 'filter');
const probes = join(folder, 'probes.py');

/** Runs a command in bubblewrap, with the filter or without it. */
function inside(user: User, filtered: boolean, command: readonly string[], cwd = '/') {
  const fd = openSync(filter, 'r');
  const namespace = user === 'root' ? [] : ['--unshare-user'];
  const seccomp = filtered ? ['--seccomp', '3'] : [];
  const args = [
    ...seccomp,
    ...namespace,
    '--unshare-pid',
    '--bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--cap-drop',
    'ALL',
  ];
  const env = { PATH: '/usr/bin:/bin', HOME: folder };
  const { status, stdout, stderr, signal } = spawnSync('/usr/bin/bwrap', [...args, '--chdir', cwd, ...command], {
    ...identityOf(user),
    env,
    stdio: ['ignore', 'pipe', 'pipe', fd],
    encoding: 'utf8',
  });
  closeSync(fd);
  return { status, stdout: stdout.trim(), stderr, signal };
}

/** What a developer does all day, tracing of children and sandboxes in the sandbox included. */
const TOOLS: readonly (readonly string[])[] = [
  [
    process.execPath,
    '-e',
    'require("node:fs").promises.readFile("/etc/hostname").then(() => require("node:child_process").execFileSync("true"))',
  ],
  [
    '/usr/bin/python3',
    '-c',
    'import subprocess, threading, socket; subprocess.run(["true"], check=True); socket.create_server(("127.0.0.1", 0))',
  ],
  ['git', '-c', 'init.defaultBranch=main', 'init', '-q', '/dev/shm/repository'],
  ['sh', '-c', 'printf x | cat | grep -q x && ls -l /proc/self >/dev/null && ps >/dev/null'],
];
const TRACERS: readonly (readonly string[])[] = [
  ['strace', '-f', '-o', '/dev/null', 'sh', '-c', 'true; true'],
  ['gdb', '-q', '-nx', '-batch', '-ex', 'run', '-ex', 'quit', '/bin/true'],
];

const probe = (user: User, filtered: boolean, name: string) =>
  inside(user, filtered, ['/usr/bin/python3', probes, name]).stdout;

beforeAll(() => {
  writeFileSync(filter, seccompProgram(process.arch as Arch), { mode: 0o644 });
  copyFileSync(PROBES, probes);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(USERS)('in the sandbox of %s', (user) => {
  it.each(['tiocsti', 'tiocsti_high', 'tiocsti_all_high', 'tioclinux', 'keyctl', 'add_key', 'perf'])(
    '%s is refused, and it is the filter that does it',
    (name) => {
      expect([probe(user, true, name), probe(user, false, name)]).toEqual(['refused', 'allowed']);
    },
  );

  // Kernels differ in whether they have these at all.
  it.each(['io_uring', 'vsock', 'x32'])('%s is refused', (name) => {
    expect(probe(user, true, name)).toBe('refused');
  });

  it.each(['traceme', 'attach', 'seize', 'memfd', 'unix_socket'])('%s is allowed', (name) => {
    expect(probe(user, true, name)).toBe('allowed');
  });

  it('tools of every day work', () => {
    const installed = TRACERS.filter(([name = '']) => ['/usr/bin', '/bin'].some((bin) => existsSync(join(bin, name))));
    for (const command of [...TOOLS, ...installed]) {
      const { status, stderr } = inside(user, true, command);
      expect([command, status, status === 0 ? '' : stderr]).toEqual([command, 0, '']);
    }
  });
});

it('an ordinary user can put a sandbox into the sandbox', () => {
  const nested = [
    '/usr/bin/bwrap',
    '--unshare-user',
    '--unshare-pid',
    '--bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    'echo',
    'nested',
  ];
  expect(inside('cordon-test', true, nested).stdout).toBe('nested');
});

// Other machines than x86-64 have no such gate.
if (process.arch === 'x64') {
  it.each(USERS)('a call through the 32-bit gate ends the program (%s)', (user) => {
    const gate = 'long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory"); return r > 0 ? 0 : 1;';
    writeFileSync(join(folder, 'gate.c'), `int main(void) { ${gate} }\n`);
    execFileSync('gcc', ['-o', join(folder, 'gate'), join(folder, 'gate.c')]);
    expect(inside(user, true, [join(folder, 'gate')]).status).toBe(128 + 31);
    expect(inside(user, false, [join(folder, 'gate')]).status).not.toBe(128 + 31);
  });
}
