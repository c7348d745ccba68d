// Users, their secrets and workspaces for the benchmark, and the same bubblewrap call without us.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../scripts/ts.mjs';

const { ParentEnv } = await import('../../src/host/parent-env.ts');
const { surveyMachine } = await import('../../src/launch/machine.ts');

export const secretOf = (user) => `value-of-${user}-${'x'.repeat(24)}`;

export function makeUsers(count) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cordon-bench-')));
  const users = Array.from({ length: count }, (_, i) => `user${i}`);
  for (const user of users) {
    mkdirSync(join(root, 'home', 'users', user), { recursive: true, mode: 0o700 });
    mkdirSync(join(root, 'workspaces', user), { recursive: true, mode: 0o700 });
    const text = `sandboxed_envs:\n  OWN_TOKEN: ${secretOf(user)}\n`;
    writeFileSync(join(root, 'home', 'users', user, 'secrets.yaml'), text, { mode: 0o600 });
  }
  const shared = 'sandboxed_envs:\n  OWN_TOKEN: value-of-nobody\n  SHARED: shared-value\n';
  writeFileSync(join(root, 'home', 'secrets.yaml'), shared, { mode: 0o600 });
  return { root, users, env: { CORDON_HOME: join(root, 'home'), PATH: '/usr/bin:/bin' } };
}

const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'];
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/passwd', '/etc/group', '/etc/ssl/certs'];

/** What a session is made of, said to bubblewrap, for Node to start without us. */
export function directCall(workspace, record) {
  const machine = surveyMachine(ParentEnv.fromRecord(record));
  const words = [
    ...[...NAMESPACES, '--die-with-parent', '--cap-drop', 'ALL'],
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--size', String(256 * 2 ** 20), '--tmpfs', '/tmp', '--dev', '/dev', '--proc', '/proc'],
    ...['--bind', workspace, '/workspace', '--chdir', '/workspace', '--'],
  ];
  return (command, values) => runDirect(machine.bwrap, [...words, '/bin/bash', '-c', command], values);
}

function runDirect(program, args, values) {
  return new Promise((resolve, reject) => {
    const env = { HOME: '/workspace', PATH: '/usr/bin:/bin', NODE_V8_COVERAGE: undefined, ...values };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', () => undefined);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: Buffer.concat(chunks) }));
  });
}
