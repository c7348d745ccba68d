import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cordonProgram, freshHome, type RunOptions, runAs, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

const endings: (() => void)[] = [];
afterAll(() => {
  for (const end of endings) end();
});

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Waits for a line of a service's output. */
async function started(program: string, args: readonly string[], user: User, word: string): Promise<void> {
  const child = spawn(program, args, {
    ...identityOf(user),
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endings.push(() => child.kill());
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      text += part;
    });
  while (!text.includes(word)) {
    if (child.exitCode !== null) throw new Error(`${program}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A real sshd that lets this user in, and a home that knows it. */
async function sshScene(
  user: User,
): Promise<{ readonly home: string; readonly options: RunOptions; readonly url: string }> {
  const home = freshHome(user);
  const port = await freePort();
  const sh = (script: string) => {
    const ran = runAs('bash', ['-ec', script], { user, home });
    if (ran.code !== 0) throw new Error(ran.stderr);
  };
  sh(`mkdir -m 700 .ssh served work && ssh-keygen -q -t ed25519 -N '' -f served/host && ssh-keygen -q -t ed25519 -N '' -f .ssh/id_ed25519
    cp .ssh/id_ed25519.pub served/authorized
    printf '[127.0.0.1]:${port} %s\\n' "$(cut -d' ' -f1-2 served/host.pub)" > .ssh/known_hosts
    printf 'Host team\\n  HostName 127.0.0.1\\n  Port ${port}\\n  IdentityAgent ~/elsewhere.sock\\n' > .ssh/config
    git config --global user.name Ada && git config --global user.email ada@example.test && git config --global init.defaultBranch main
    git config --global gpg.format ssh && git config --global user.signingkey ~/.ssh/id_ed25519.pub
    # ssh looks in the home of the account, which is not this one.
    git config --global core.sshCommand 'ssh -F ~/.ssh/config -o UserKnownHostsFile=${home}/.ssh/known_hosts'
    git init -q --bare served/team.git && cd work && git init -q && git commit -q --allow-empty -m first
    git remote add origin ssh://team${home}/served/team.git`);
  const sshd = [
    '-D',
    '-e',
    '-f',
    '/dev/null',
    '-h',
    join(home, 'served/host'),
    '-p',
    String(port),
    '-o',
    'StrictModes=no',
  ];
  const keys = ['-o', `AuthorizedKeysFile=${home}/served/authorized`, '-o', 'PidFile=none', '-o', 'UsePAM=no'];
  await started('/usr/sbin/sshd', [...sshd, ...keys, '-o', 'ListenAddress=127.0.0.1'], user, 'listening');
  const socket = join(home, 'agent.sock');
  await started('ssh-agent', ['-D', '-a', socket], user, 'SSH_AUTH_SOCK');
  const env = { SSH_AUTH_SOCK: socket };
  runAs('ssh-add', ['-q', join(home, '.ssh/id_ed25519')], { user, home, env });
  return { home, options: { user, home, env, cwd: join(home, 'work') }, url: `ssh://team${home}/served/team.git` };
}

// sshd of root wants a folder of the system's; what is shown here does not depend on who it is.
describe.each(USERS.filter((user) => user !== 'root'))('git by ssh as %s', (user) => {
  it('knows the host and its settings, pushes and signs with the agent, and sees no key', async () => {
    const { options } = await sshScene(user);
    const without = runCordon(['run', '--', 'git', 'push', '-q', 'origin', 'main'], options);
    expect(without.stderr).toContain('Permission denied');
    expect(without.stderr).not.toContain('Host key verification failed');
    const push = runCordon(['run', '--ssh-agent', '--', 'git', 'push', '-q', 'origin', 'main'], options);
    expect(push).toMatchObject({ code: 0 });
    const list = runCordon(['run', '--ssh-agent', '--', 'git', 'ls-remote', 'origin'], options);
    expect(list.stdout).toContain('refs/heads/main');
    const sign = runCordon(
      ['run', '--ssh-agent', '--', 'git', 'commit', '-qS', '--allow-empty', '-m', 'signed'],
      options,
    );
    expect(sign).toMatchObject({ code: 0 });
    expect(runAs('git', ['cat-file', '-p', 'HEAD'], options).stdout).toContain('BEGIN SSH SIGNATURE');
    const key = runCordon(['run', '--ssh-agent', '--', 'ls', `${options.home}/.ssh`], options);
    expect(key.stdout.split('\n').filter(Boolean).toSorted()).toEqual(['config', 'id_ed25519.pub', 'known_hosts']);
  });

  it('says so when there is no agent', () => {
    const { code, stderr } = runCordon(['run', '--ssh-agent', '--', 'true'], { user });
    expect(code).toBe(125);
    expect(stderr).toContain('--ssh-agent: there is no agent');
  });

  it('pushes over http with a helper when its file is exposed', async () => {
    const home = freshHome(user);
    const password = createHash('sha256').update(home).digest('hex').slice(0, 12);
    const expected = `Basic ${Buffer.from(`dev:${password}`).toString('base64')}`;
    const { uid, gid } = identityOf(user);
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      if (request.headers.authorization !== expected) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return;
      }
      const backend = spawn('/usr/lib/git-core/git-http-backend', [], {
        uid,
        gid,
        env: {
          PATH: '/usr/bin:/bin',
          HOME: home,
          GIT_PROJECT_ROOT: join(home, 'served'),
          GIT_HTTP_EXPORT_ALL: '1',
          PATH_INFO: url.pathname,
          QUERY_STRING: url.search.slice(1),
          REQUEST_METHOD: request.method,
          CONTENT_TYPE: request.headers['content-type'],
          REMOTE_USER: 'dev',
          REMOTE_ADDR: '127.0.0.1',
        },
      });
      request.pipe(backend.stdin);
      const parts: Buffer[] = [];
      backend.stdout.on('data', (part) => parts.push(part));
      backend.on('close', () => {
        const all = Buffer.concat(parts);
        const end = all.indexOf('\r\n\r\n');
        const headers = all
          .subarray(0, end)
          .toString()
          .split('\r\n')
          .map((line) => line.split(': ') as [string, string]);
        response.writeHead(200, Object.fromEntries(headers)).end(all.subarray(end + 4));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    endings.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    execFileSync('bash', ['-ec', 'mkdir served work'], { cwd: home, uid, gid });
    writeFileSync(join(home, '.git-credentials'), `http://dev:${password}@127.0.0.1%3a${port}\n`, { mode: 0o600 });
    execFileSync('chown', [`${uid}:${gid}`, join(home, '.git-credentials')]);
    const made = runAs(
      'bash',
      [
        '-ec',
        `git config --global user.name Ada && git config --global user.email a@b && git config --global init.defaultBranch main
        git config --global credential.helper store && git init -q --bare served/team.git && git -C served/team.git config http.receivepack true
        cd work && git init -q && git commit -q --allow-empty -m first && git remote add origin http://127.0.0.1:${port}/team.git`,
      ],
      { user, home },
    );
    expect(made.stderr).toBe('');
    const cwd = join(home, 'work');
    // The server is in this very process, so the command must not block it.
    const run = async (args: readonly string[]) => {
      const child = spawn(cordonProgram(), ['run', ...args, '--', 'git', 'push', '-q', 'origin', 'main'], {
        uid,
        gid,
        cwd,
        env: { PATH: '/usr/bin:/bin', HOME: home, GIT_TERMINAL_PROMPT: '0' },
        stdio: 'ignore',
      });
      const [code] = await once(child, 'close');
      return code as number;
    };
    expect(await run([])).not.toBe(0);
    expect(await run(['--expose', `${home}/.git-credentials`])).toBe(0);
    expect(readFileSync(join(home, 'served/team.git/refs/heads/main'), 'utf8')).toMatch(/^[0-9a-f]{40}\n$/);
  });
});
