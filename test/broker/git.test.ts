import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { basic, type Front, frontOf, held, NAME, PLACEHOLDER, serverOf, VALUE } from './support.ts';

const run = promisify(execFile);
const BACKEND = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');

/** Git's own server, behind a log-in with the real value. */
function gitServer(root: string, seen: (string | undefined)[]): Promise<number> {
  return serverOf((req, res) => {
    seen.push(req.headers.authorization);
    if (req.headers.authorization !== basic(`x-access-token:${VALUE}`)) {
      res.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const [path = '', query = ''] = (req.url ?? '').split('?');
    const backend = spawn(BACKEND, {
      env: {
        PATH: '/usr/bin:/bin',
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'tester',
        PATH_INFO: path,
        QUERY_STRING: query,
        REQUEST_METHOD: req.method ?? 'GET',
        CONTENT_TYPE: req.headers['content-type'] ?? '',
        ...(req.headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: req.headers['content-length'] }),
        HTTP_CONTENT_ENCODING: req.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(req.headers['git-protocol'] ?? ''),
      },
    });
    req.pipe(backend.stdin);
    answerWith(backend.stdout, res);
  });
}

/** The head of a CGI program's output, then its body. */
function answerWith(output: NodeJS.ReadableStream, res: http.ServerResponse): void {
  let head = Buffer.alloc(0);
  output.on('data', (chunk: Buffer) => {
    if (res.headersSent) return void res.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const lines = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(/: (.*)/s) as [string, string]);
    const status = Number(lines.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    res.writeHead(status, Object.fromEntries(lines.filter(([name]) => name !== 'Status')));
    return void res.write(head.subarray(end + 4));
  });
  output.on('end', () => res.end());
}

function scene() {
  const dir = mkdtempSync(join(tmpdir(), 'cordon-git-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  execFileSync('git', ['init', '-q', '--bare', join(dir, 'repo.git')]);
  execFileSync('git', ['-C', join(dir, 'repo.git'), 'config', 'http.receivepack', 'true']);
  return dir;
}

/** As inside: the name leads to the front, its certificate is trusted, the helper knows the placeholder. */
function git(dir: string, fronts: Readonly<Record<string, Front>>) {
  const bundle = join(dir, 'ca.pem');
  writeFileSync(
    bundle,
    Object.values(fronts)
      .map(({ ca }) => ca)
      .join('\n'),
  );
  const config = Object.entries({
    'user.name': 'Tester',
    'user.email': 'tester@example.test',
    'credential.helper': `!f() { echo username=x-access-token; echo password=${PLACEHOLDER}; }; f`,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const resolve = Object.entries(fronts).flatMap(([name, { port }]) => [
    '-c',
    `http.curloptResolve=${name}:${port}:127.0.0.1`,
  ]);
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: dir,
    GIT_SSL_CAINFO: bundle,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  return (...args: string[]) => run('git', [...config, ...resolve, ...args], { cwd: dir, env });
}

/** The port of a front is known once it listens, and belongs to its rule. */
async function frontAt(upstream: number, name: string): Promise<Front> {
  const dialled = { name, port: 0 };
  const rule = held({ hosts: [NAME] });
  const hosts = [{ name: NAME, below: false, port: 0 }];
  const front = await frontOf(upstream, { dialled, held: [{ ...rule, rule: { ...rule.rule, hosts } }] });
  Object.assign(dialled, { port: front.port });
  for (const host of hosts) host.port = name === NAME ? front.port : 1;
  return front;
}

test('clone, push and pull over HTTPS with a token that git never had', async () => {
  const dir = scene();
  const seen: (string | undefined)[] = [];
  const front = await frontAt(await gitServer(dir, seen), NAME);
  const go = git(dir, { [NAME]: front });
  await go('clone', '-q', `https://${NAME}:${front.port}/repo.git`, 'one');
  writeFileSync(join(dir, 'one', 'big'), Buffer.alloc(3 << 20, 'not all the same 1234567'));
  await go('-C', 'one', 'add', '.');
  await go('-C', 'one', 'commit', '-qm', 'first');
  await go('-C', 'one', '-c', 'http.postBuffer=65536', 'push', '-q', 'origin', 'HEAD:main');
  await go('clone', '-q', '-b', 'main', `https://${NAME}:${front.port}/repo.git`, 'two');
  expect((await go('-C', 'two', 'log', '--format=%s')).stdout).toBe('first\n');
  expect(seen.filter((one) => one !== undefined && one !== basic(`x-access-token:${VALUE}`))).toEqual([]);
  expect(front.records.some(({ verdict, credentials }) => verdict === 'swapped' && credentials[0] === 'TOKEN')).toBe(
    true,
  );
});

test('insteadOf and redirects carry it nowhere else', async () => {
  const dir = scene();
  const [seen, elsewhere]: [(string | undefined)[], (string | undefined)[]] = [[], []];
  const evil = await frontAt(
    await serverOf((req, res) => {
      elsewhere.push(req.headers.authorization);
      res.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    }, 'evil.example.test'),
    'evil.example.test',
  );
  const front = await frontAt(
    await serverOf((req, res) => {
      seen.push(req.headers.authorization);
      res.writeHead(302, { location: `https://evil.example.test:${evil.port}${req.url}` }).end();
    }),
    NAME,
  );
  const go = git(dir, { [NAME]: front, 'evil.example.test': evil });
  const url = `https://${NAME}:${front.port}/repo.git`;
  await expect(
    go('-c', `url.https://evil.example.test:${evil.port}/.insteadOf=https://${NAME}:${front.port}/`, 'ls-remote', url),
  ).rejects.toThrow(/403/);
  await expect(go('-c', 'http.followRedirects=true', 'ls-remote', url)).rejects.toThrow();
  expect(elsewhere.filter((one) => one !== undefined)).toEqual([]);
  expect(evil.records.filter(({ verdict }) => verdict === 'refused')).not.toEqual([]);
  expect(evil.records.find(({ verdict }) => verdict === 'refused')).toMatchObject({
    rule: 'host',
    credentials: ['TOKEN'],
  });
});
