import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { dirname, join } from 'node:path';
import tls from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import type { NetworkRecord } from '../../src/network/records.ts';
import { hostOf, listening, NAME, SERVERS, serverOf } from '../broker/support.ts';
import { installedPackage } from '../support/cordon.ts';
import { filesBelow, programsWith } from '../support/leaks.ts';
import { openFolder } from '../support/project.ts';
import { filesWith, inspected } from './leaks.ts';
import { ENGINE_FOLDER, eventually, podman, processesWith, rootless, Scene } from './scene.ts';
import { SessionScene } from './session-scene.ts';

/** With curl in it, and certificates of its own in a place where this machine has none. */
const CURL = 'localhost/curl';
const IMAGES_OWN = '/etc/pki/tls/certs/ca-bundle.crt';
const NAMED = '/opt/named.pem';
const [ofImage, ofVariable] = [newAuthority([hostOf('image.test')]), newAuthority([hostOf('variable.test')])];

/** Found nowhere else on the machine, in the form of a key. */
const VALUE = `ghp_${randomBytes(18).toString('hex')}`;

let tar: string;

beforeAll(() => {
  const root = join(realpathSync(openFolder('curl')), 'root');
  cpSync(join(ENGINE_FOLDER(), 'root'), root, { recursive: true, verbatimSymlinks: true });
  const libraries = execFileSync('ldd', ['/usr/bin/curl'], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const path of ['/usr/bin/curl', ...libraries]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(realpathSync(path), join(root, path));
  }
  for (const [path, { certificate }] of [
    [IMAGES_OWN, ofImage],
    [NAMED, ofVariable],
  ] as const) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), certificate);
  }
  // An agent that only shows its log-in.
  writeFileSync(join(root, 'bin/claude'), '#!/bin/sh\ncat ~/.claude/.credentials.json\n', { mode: 0o755 });
  tar = join(root, '..', 'curl.tar');
  execFileSync('tar', ['-C', root, '-cf', tar, '.']);
  const changes = ['-c', 'ENV PATH=/bin:/usr/bin', '-c', `ENV SSL_CERT_FILE=${NAMED}`];
  podman('import', '--quiet', ...changes, tar, CURL);
});

const page = (text: string) => listening(http.createServer((_, response) => response.end(text)));

async function run(scene: Scene, words: readonly string[], env: Record<string, string> = {}) {
  const ran = scene.start(['run', ...words], env);
  const code = await ran.ended;
  return { code, stdout: ran.said(), stderr: await ran.errors };
}

const records = (scene: Scene) => JSON.parse(scene.run(['net', 'log', '--json']).stdout) as NetworkRecord[];

/** Others on this machine may have some too. */
const ours = (word: string) => processesWith(`${word}.*${installedPackage()}|${installedPackage()}.*${word}`);
const outside = () => processesWith(`^\\S*node .*${installedPackage()}.*network.cjs`);

const WAYS = [
  ['root', 'podman'],
  ['root', 'docker'],
  ['cordon-test', 'docker'],
] as const;

describe.each(WAYS)('hosts by name, as %s through %s', (user, engine) => {
  const IN = ['--in', `${engine}:${CURL}`];

  it('lets through what is named, by name and by proxy, and nothing else; and tells', async () => {
    const scene = new Scene(user);
    const [wanted, other] = [await page('wanted'), await page('other')];
    const script = `
      curl -sS --noproxy '*' http://${NAME}/; echo
      curl -sS http://${NAME}/; echo
      curl -sS --noproxy '*' http://other.test/ 2>&1; curl -sSf http://other.test/ 2>&1
      for at in 169.254.169.254 127.0.0.1:${other} 10.0.2.2 ; do curl -sS --noproxy '*' -m 5 http://$at/ 2>&1; done
      curl -sS --noproxy '*' --dns-servers 9.9.9.9 http://${NAME}/ >/dev/null 2>&1
      ip addr | grep -c '^[0-9]'; ip route; nc -w 2 -u 9.9.9.9 53 </dev/null 2>&1`;
    const { stdout, stderr } = await run(scene, [
      ...['--net', `${NAME}:80=127.0.0.1:${wanted}`, ...IN, '--', 'sh', '-c', script],
    ]);
    const lines = stdout.trim().split('\n');
    expect(lines.slice(0, 2)).toEqual(['wanted', 'wanted']);
    expect(lines[2]).toContain('Could not resolve host');
    expect(lines[3]).toContain('403');
    for (const line of lines.slice(4, 7)) expect(line).toMatch(/Failed to connect|unreachable/i);
    expect(lines[7]).toBe('1');
    expect(stdout).not.toMatch(/other$/m);
    expect(stderr).not.toContain('cordon: warning');
    const [record] = JSON.parse(scene.run(['audit', '--json']).stdout);
    expect(record).toMatchObject({ in: `${engine}:${CURL}`, isolation: 'barrier' });
    const seen = records(scene);
    expect(seen.map(({ name, port, verdict }) => `${name}:${port} ${verdict}`)).toEqual(
      expect.arrayContaining([`${NAME}:80 allowed`, 'other.test:80 refused']),
    );
    expect(new Set(seen.map(({ launch }) => launch))).toEqual(new Set([record.id]));
  });

  it('puts a key in outside, which is nowhere inside, and which clients of the image trust', async () => {
    const scene = new Scene(user);
    const got: (string | undefined)[] = [];
    const port = await serverOf((request, response) => {
      got.push(request.headers.authorization);
      response.end(`hello ${request.headers.authorization}\n`);
    });
    const others = await Promise.all([ownServer('image.test', ofImage), ownServer('variable.test', ofVariable)]);
    const trusted = join(scene.home, 'servers.pem');
    writeFileSync(trusted, SERVERS.certificate);
    scene.own(trusted);
    // The value is put together by the shell, so that its own text doesn't have it.
    const script = `want="$(printf '%s%s' ${VALUE.slice(0, 12)} ${VALUE.slice(12)})"
      curl -sS -H "Authorization: Bearer $TOKEN" https://${NAME}/ | tr '\\n' ' '
      curl -sS https://image.test/; curl -sS https://variable.test/; echo $SSL_CERT_FILE
      grep -c BEGIN ${IMAGES_OWN} ${NAMED} | tr '\\n' ' '
      env | grep -F "$want"; grep -rqaF "$want" /run /dev/shm /tmp /etc /opt /.cordon-* /proc/1/environ 2>/dev/null && echo found
      echo "placeholder $TOKEN"; echo ready; cat`;
    const words = ['run', '--broker', `TOKEN@${NAME}`, '--net', `${NAME}:443=127.0.0.1:${port}`];
    const hosts = ['image.test', 'variable.test'].flatMap((name, i) => ['--net', `${name}:443=127.0.0.1:${others[i]}`]);
    const ran = scene.start([...words, ...hosts, ...IN, '--', 'sh', '-c', script], {
      ...{ TOKEN: VALUE, SSL_CERT_FILE: trusted },
    });
    await eventually(() => expect(ran.said()).toContain('ready'));
    const [, placeholder] = /placeholder (\S+)$/m.exec(ran.said()) ?? [];
    expect(got).toEqual([`Bearer ${VALUE}`]);
    expect(placeholder).toMatch(/^ghp_/);
    expect(placeholder).not.toBe(VALUE);
    expect(ran.said()).toContain('of image.testof variable.test/run/cordon-certificates.pem\n');
    // What the broker puts in comes back as stars.
    expect(ran.said()).toMatch(/^hello Bearer \*+ /);
    expect(ran.said()).not.toContain('found');
    expect(inspected(VALUE)).toBe(false);
    expect(filesWith(VALUE)).toEqual([]);
    expect(programsWith(VALUE, 'cmdline')).toEqual([]);
    expect(programsWith(VALUE, 'environ')).toEqual(['cordon']);
    expect(filesBelow([scene.home], VALUE)).toEqual([]);
    ran.child.stdin.end();
    expect(await ran.ended).toBe(0);
    const state = join(scene.home, '.local/state/cordon');
    expect(filesBelow([state], VALUE)).toEqual([]);
    expect(readFileSync(join(state, 'audit.jsonl'), 'utf8')).toContain('"brokered":["TOKEN"]');
    await eventually(() => expect(ours('network.cjs')).toEqual([]));
  });
});

function ownServer(name: string, authority: ReturnType<typeof newAuthority>): Promise<number> {
  const secured = new Issuer(authority).leafFor(name);
  const server = http.createServer((_, response) => response.end(`of ${name}`));
  return listening(tls.createServer(secured, (socket) => server.emit('connection', socket)));
}

describe('what lets connections through', () => {
  const IN = ['--in', `podman:${CURL}`];

  it('is out of reach from inside, and gone with the command or with cordon', async () => {
    const scene = new Scene();
    const port = await page('wanted');
    const script = `curl -sS http://${NAME}/; echo; find / -xdev -type s 2>/dev/null; find /.cordon-* -type s; find /run -type s; echo ready; exec sleep 4721`;
    const words = ['run', '--net', `${NAME}:80=127.0.0.1:${port}`, ...IN, '--', 'sh', '-c', script];
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const ran = scene.start(words);
      await eventually(() => expect(ran.said()).toContain('ready'));
      expect(ran.said()).toBe('wanted\nready\n');
      expect(ours('--way-out=')).toHaveLength(1);
      expect(ours('network.cjs')).toHaveLength(2);
      ran.child.kill(signal);
      await ran.ended;
      await eventually(() => expect(ours('network.cjs')).toEqual([]));
      await eventually(() => expect(processesWith('^sleep 4721')).toEqual([]));
    }
  });

  it('is not started where nobody connects, and its end is told', async () => {
    const scene = new Scene();
    const port = await page('wanted');
    const net = ['--net', `${NAME}:80=127.0.0.1:${port}`];
    const quiet = scene.start(['run', ...net, ...IN, '--', 'sh', '-c', 'echo ready; cat']);
    await eventually(() => expect(quiet.said()).toContain('ready'));
    expect(outside()).toEqual([]);
    quiet.child.stdin.end();
    expect(await quiet.ended).toBe(0);
    const script = `curl -sS http://${NAME}/; echo ready; read x; curl -sS http://${NAME}/; echo $?`;
    const lost = scene.start(['run', ...net, ...IN, '--', 'sh', '-c', script]);
    await eventually(() => expect(lost.said()).toContain('ready'));
    for (const pid of outside()) process.kill(Number(pid), 'SIGKILL');
    lost.child.stdin.end('go on\n');
    await lost.ended;
    expect(lost.said()).toMatch(/[1-9]\d*\n$/);
    expect(await lost.errors).toContain('the process that lets connections through is gone');
  });

  it('asks, learns, and tells before what it would let through', async () => {
    const scene = new Scene();
    const learned = await run(scene, ['--net', 'learn', ...IN, '--', 'curl', '-sS', '-m', '5', 'http://nowhere.test/']);
    expect(learned.stderr).toContain('--net nowhere.test');
    const refused = scene.runOnTerminal(['run', '--net', NAME, ...IN, '--', 'curl', '-sSf', 'http://other.test/']);
    expect(refused.stdout).toContain('not let through: other.test');
    const told = scene.run(['run', '--dry-run', '--net', NAME, ...IN, '--', 'true']).stdout;
    expect(told).toContain(`only ${NAME}`);
    expect(told).toContain('HTTPS_PROXY');
    const brokered = scene.run(['run', '--dry-run', '--broker', `TOKEN@${NAME}`, ...IN, '--', 'true'], {
      env: { TOKEN: VALUE },
    });
    expect(brokered.stdout).toContain(NAME);
    expect(brokered.stdout).not.toContain(VALUE);
  });

  it('reads no file for an image that the policy hides', async () => {
    const scene = new Scene();
    const hidden = join(scene.project, '.env');
    writeFileSync(hidden, ofImage.certificate);
    const script = `grep -c BEGIN /run/cordon-certificates.pem; cat ${hidden} 2>&1 | grep -c BEGIN`;
    const image = 'localhost/reaching';
    podman('import', '--quiet', '-c', 'ENV PATH=/bin:/usr/bin', '-c', `ENV PIP_CERT=${hidden}`, tar, image);
    const words = ['--broker', `TOKEN@${NAME}`, '--in', `podman:${image}`];
    const count = async (...more: string[]) =>
      (await run(scene, [...words, ...more, '--', 'sh', '-c', script], { TOKEN: VALUE })).stdout
        .split('\n')
        .map(Number);
    const [[shown, seen], [kept, unseen]] = [await count(), await count('--hide', hidden)] as [number[], number[]];
    expect([seen, unseen]).toEqual([shown, 0]);
    expect(kept).toBe((shown ?? 0) - 1);
  });

  it('gives an agent its log-in as a placeholder', async () => {
    const scene = new Scene();
    const token = ['sk-ant', 'oat01', 'real'.padEnd(80, 'Ac')].join('-');
    const file = join(scene.home, '.claude/.credentials.json');
    mkdirSync(dirname(file));
    writeFileSync(file, JSON.stringify({ claudeAiOauth: { accessToken: token, expiresAt: 4e12, scopes: [] } }));
    const ran = scene.start(['agent', 'run', 'claude', '--broker', '--json', ...IN, 'say hello']);
    await ran.ended;
    expect(ran.said(), await ran.errors).toMatch(/"accessToken": "sk-ant-oat01-/);
    expect(ran.said()).not.toContain(token);
  });

  it.each([
    [['--net', NAME], 'the network is not opened by name'],
    [['--broker', `TOKEN@${NAME}`], 'credentials are not brokered'],
  ])('is refused in a container that runs already: %j', (flags, words) => {
    const ran = new Scene().run(['run', '--in', 'container:any', ...flags, '--', 'true'], { env: { TOKEN: VALUE } });
    expect(ran).toMatchObject({ status: 125, stderr: expect.stringContaining(words) });
    expect(ran.stderr).toContain('--in podman:IMAGE');
  });

  it('cannot be had without the barrier', () => {
    const ran = new Scene().run(['run', '--net', NAME, '--isolation', 'filter', ...IN, '--', 'true']);
    expect(ran).toMatchObject({ status: 125, stderr: expect.stringContaining('open by name') });
  });
});

describe('hosts by name for a session and a tool', () => {
  it('are those of the profile, and its key is put in outside', async () => {
    const scene = new SessionScene();
    const got: (string | undefined)[] = [];
    const port = await serverOf((request, response) => {
      got.push(request.headers.authorization);
      response.end('hello');
    });
    const trusted = join(scene.home, 'servers.pem');
    writeFileSync(trusted, SERVERS.certificate);
    scene.with(`
network: { allow: ['${NAME}:443=127.0.0.1:${port}'] }
env_credentials: [{ target: A_TOKEN, source: 'env://A_TOKEN', for: ['${NAME}'] }]
`);
    const { program, words } = scene.program(
      `tell(await session.bash('echo $A_TOKEN; curl -sS -H "Authorization: Bearer $A_TOKEN" https://${NAME}/; curl -sS --noproxy "*" https://other.test/'));`,
      `in: 'podman:${CURL}', profile: 'p',`,
    );
    const ran = scene.start(words, { SSL_CERT_FILE: trusted }, program);
    expect({ code: await ran.ended, errors: await ran.errors }).toEqual({ code: 0, errors: '' });
    const call = JSON.parse(ran.said());
    expect(got).toEqual([`Bearer ${scene.secret}`]);
    expect(call.stdout).toMatch(/^\S+\nhello$/);
    expect(call.stdout).not.toContain(scene.secret);
    expect(call.stderr).toContain('Could not resolve host: other.test');
  });

  it('are those of its policy', async () => {
    const scene = new Scene();
    const port = await page('wanted');
    const config = join(scene.home, '.config/cordon/cordon.toml');
    mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
    writeFileSync(
      config,
      `[tools.curl]\nin = "podman:${CURL}"\nenv_base = "os-common"\n[tools.curl.network]\nallow = ["${NAME}:80=127.0.0.1:${port}"]\n`,
    );
    expect(scene.run(['tool', 'apply'])).toMatchObject({ status: 0 });
    const shim = join(scene.home, '.local/share/cordon/bin/curl');
    const ran = scene.start(['-sS', '--noproxy', '*', `http://${NAME}/`, 'http://other.test/'], {}, shim);
    expect(await ran.ended).not.toBe(0);
    expect(ran.said()).toBe('wanted');
    expect(await ran.errors).toContain('Could not resolve host: other.test');
  });
});

describe('rootless podman', () => {
  it('opens hosts by name for its user', async () => {
    const scene = new Scene('cordon-test');
    const env = rootless(scene, tar, CURL);
    const port = await page('wanted');
    const script = `/usr/bin/curl -sS --noproxy '*' http://${NAME}/; echo; /usr/bin/curl -sS --noproxy '*' http://other.test/ 2>&1`;
    const words = ['--net', `${NAME}:80=127.0.0.1:${port}`, '--in', `podman:${CURL}`, '--', 'sh', '-c', script];
    const { stdout } = await run(scene, words, env);
    expect(stdout).toMatch(/^wanted\n.*Could not resolve host/);
  });
});
