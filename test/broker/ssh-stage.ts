import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { identityOf, type User } from '../support/users.ts';

export const PORT = 2222;
export const BOX = 'box.example.test';
export const OTHER = 'other.example.test';

/** Servers and an agent of the user's own, whose home this is, all of them OpenSSH's. */
export interface SshStage {
  readonly env: Record<string, string>;
  readonly net: string[];
  readonly keys: Readonly<Record<'work' | 'private', string>>;
  readonly path: (name: string) => string;
}

export async function sshStage(home: string, user: User, kind = 'ed25519'): Promise<SshStage> {
  const who = identityOf(user);
  const folder = join(home, '.ssh');
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, who.uid, who.gid);
  const path = (name: string) => join(folder, name);
  const run = (program: string, args: string[], env = {}) =>
    execFileSync(program, args, {
      ...who,
      env: { PATH: '/usr/bin:/bin', HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  for (const name of ['work', 'private'])
    run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `${name} key`, '-f', path(name)]);
  const ports = await Promise.all([BOX, OTHER].map((name) => server(name, kind, { run, path, who })));
  // Debian and others write names down hashed.
  if (kind !== 'ed25519') {
    execFileSync('ssh-keygen', ['-q', '-H', '-f', path('known_hosts')], { stdio: 'ignore' });
    chmodSync(path('known_hosts'), 0o644);
  }
  const socket = path('agent');
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { ...who, env: { PATH: '/usr/bin:/bin' } });
  onTestFinished(() => void agent.kill('SIGKILL'));
  await once(agent.stdout, 'data');
  for (const name of ['work', 'private']) run('ssh-add', [path(name)], { SSH_AUTH_SOCK: socket });
  const fingerprint = (name: string) =>
    run('ssh-keygen', ['-lf', `${path(name)}.pub`])
      .toString()
      .split(' ')[1] as string;
  return {
    env: { SSH_AUTH_SOCK: socket },
    net: [BOX, OTHER].flatMap((name, at) => ['--net', `${name}:${PORT}=127.0.0.1:${ports[at]}`]),
    keys: { work: fingerprint('work'), private: fingerprint('private') },
    path,
  };
}

interface Means {
  readonly run: (program: string, args: string[]) => Buffer;
  readonly path: (name: string) => string;
  readonly who: { readonly uid: number; readonly gid: number };
}

/** A real sshd, which lets its own user in by either key. */
async function server(name: string, kind: string, { run, path, who }: Means): Promise<number> {
  const port = await freePort();
  run('ssh-keygen', ['-q', '-t', kind, '-N', '', '-f', path(`host-${name}`)]);
  const key = readFileSync(path(`host-${name}.pub`), 'utf8')
    .split(' ')
    .slice(0, 2)
    .join(' ');
  appendFileSync(path('known_hosts'), `[${name}]:${PORT} ${key}\n`);
  writeFileSync(
    path(`authorized-${name}`),
    ['work', 'private'].map((one) => readFileSync(`${path(one)}.pub`, 'utf8')).join(''),
  );
  const settings = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${path(`host-${name}`)}`,
    `AuthorizedKeysFile ${path(`authorized-${name}`)}`,
    `PidFile none`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin yes',
    'AllowAgentForwarding yes',
  ];
  writeFileSync(path(`config-${name}`), `${settings.join('\n')}\n`);
  for (const file of ['known_hosts', `authorized-${name}`, `config-${name}`]) chmodSync(path(file), 0o644);
  if (who.uid === 0) mkdirSync('/run/sshd', { recursive: true });
  const sshd = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', path(`config-${name}`)], {
    ...who,
    env: { PATH: '/usr/bin:/bin' },
  });
  onTestFinished(() => void sshd.kill('SIGKILL'));
  for await (const text of sshd.stderr.setEncoding('utf8')) if (String(text).includes('Server listening')) break;
  sshd.stderr.resume();
  return port;
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
