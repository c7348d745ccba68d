import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ParentEnv } from '../../src/host/parent-env.ts';
import type {
  AllPending,
  Decided,
  HostQuestion,
  LaunchDetails,
  Launches,
  PolicyEntry,
  ResolvedPolicy,
  Welcome,
} from '../../src/ui/api.ts';
import { PageRecords } from '../../src/ui/records/index.ts';
import { UiServer } from '../../src/ui/server.ts';
import { closeAll, cordon, internet } from '../network/support.ts';
import { cordonProgram, freshHome, runCordon } from '../support/cordon.ts';
import { trustedFolder } from '../support/trusted-folder.ts';
import { identityOf, ONLY_ROOT, USERS } from '../support/users.ts';
import { put, type RunningUi, recordLine, recordOf, startUi, stateOf } from './support.ts';

const started: RunningUi[] = [];
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
  closeAll();
});

async function start(...args: Parameters<typeof startUi>): Promise<RunningUi> {
  const ui = await startUi(...args);
  started.push(ui);
  return ui;
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Not by fetch, which lets nobody choose Host and Origin. */
function ask(
  { port }: Pick<RunningUi, 'port'>,
  path: string,
  { method = 'GET', headers = {}, body = '' }: Asking = {},
) {
  return new Promise<Answer>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function enter(ui: RunningUi): Promise<string> {
  const { status, text } = await ask(ui, '/api/enter', { method: 'POST', headers: bearer(ui.token) });
  expect(status, text).toBe(200);
  return (JSON.parse(text) as Welcome).token;
}

async function get<T>(ui: RunningUi, token: string, path: string): Promise<T> {
  const { status, text } = await ask(ui, path, { headers: bearer(token) });
  expect(status, text).toBe(200);
  return JSON.parse(text) as T;
}

async function policy(ui: RunningUi, token: string, body: object): Promise<Answer> {
  const headers = { ...bearer(token), 'content-type': 'application/json' };
  return ask(ui, '/api/policy', { method: 'POST', headers, body: JSON.stringify(body) });
}

async function decide(ui: RunningUi, token: string, body: object): Promise<Answer> {
  const headers = { ...bearer(token), 'content-type': 'application/json' };
  return ask(ui, '/api/decide', { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The question about a host, once it is asked. */
function question(ui: RunningUi, token: string, host: string, seen = ''): Promise<HostQuestion> {
  const find = async () => {
    const { questions } = await get<AllPending>(ui, token, '/api/pending');
    const found = questions.find((one) => one.host === host && one.id !== seen);
    if (found === undefined) throw new Error(`nobody asks for ${host}`);
    return found;
  };
  return vi.waitFor(find, { timeout: 20_000 });
}

describe.each(USERS)('cordon ui, as %s', (user) => {
  it('shows its page to nobody but a browser that came by its link, once', async () => {
    const ui = await start(user);
    expect(ui.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}$/);
    const page = await ask(ui, '/');
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(ui.token);
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[^ ]+'; .*frame-ancestors 'none'$/,
    );
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect(page.headers['set-cookie']).toBeUndefined();
    expect((await ask(ui, '/api/launches')).status).toBe(401);
    expect((await ask(ui, '/api/launches', { headers: bearer(ui.token) })).status).toBe(401);
    const token = await enter(ui);
    expect((await ask(ui, '/api/enter', { method: 'POST', headers: bearer(ui.token) })).status).toBe(401);
    expect((await ask(ui, '/api/enter', { method: 'POST', headers: bearer(token) })).status).toBe(401);
    expect((await ask(ui, '/api/launches', { headers: bearer(`${token.slice(0, -1)}~`) })).status).toBe(401);
    expect((await get<Launches>(ui, token, '/api/launches')).rows).toEqual([]);
  });

  it('answers no other name, origin or site, token or not', async () => {
    const ui = await start(user);
    const token = await enter(ui);
    const own = `127.0.0.1:${ui.port}`;
    const strangers = [
      { host: 'evil.example' },
      { host: `evil.example:${ui.port}` },
      { host: `localhost:${ui.port}` },
      { host: '127.0.0.1' },
      { host: own, origin: 'https://evil.example' },
      { host: own, origin: 'null' },
      { host: own, origin: `http://127.0.0.1:${ui.port + 1}` },
      { host: own, 'sec-fetch-site': 'cross-site' },
      { host: own, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of strangers)
      for (const path of ['/', '/api/launches']) {
        const answer = await ask(ui, path, { headers: { ...headers, ...bearer(token) } });
        expect([answer.status, headers, path]).toEqual([403, headers, path]);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    const friend = { host: own, origin: `http://${own}`, 'sec-fetch-site': 'same-origin', ...bearer(token) };
    expect((await ask(ui, '/api/launches', { headers: friend })).status).toBe(200);
  });

  it('shows launches, new ones too, and one of them whole', async () => {
    const home = freshHome(user);
    put(user, home, '.local/state/cordon/audit.jsonl', recordOf(3));
    const ui = await start(user, home);
    const token = await enter(ui);
    const ran = runCordon(['run', '--', 'true'], { user, home });
    expect(ran.code, ran.stderr).toBe(0);
    const { rows, total } = await get<Launches>(ui, token, '/api/launches?from=0');
    expect([total, rows.length, rows.at(-1)?.command, rows.at(-1)?.exit]).toEqual([4, 4, '/usr/bin/true', 0]);
    expect(await get(ui, token, `/api/launch?id=${rows.at(-1)?.id}`)).toMatchObject({ row: { policy: 'defaults' } });
    expect((await get<Launches>(ui, token, '/api/launches?from=-2')).from).toBe(2);
    expect((await ask(ui, '/api/launch?id=none', { headers: bearer(token) })).status).toBe(404);
    expect((await ask(ui, '/api/launches?from=x', { headers: bearer(token) })).status).toBe(400);
  });

  it('shows what runs, by its name alone, and no other command of Cordon', async () => {
    const home = freshHome(user);
    const ui = await start(user, home);
    const token = await enter(ui);
    const running = async () => {
      const found = await get<Launches>(ui, token, '/api/launches');
      return found.running.filter(({ folder }) => folder === home).map(({ program }) => program);
    };
    expect(await running()).toEqual([]);
    const { uid, gid } = identityOf(user);
    const child = spawn(cordonProgram(), ['run', '--', 'sleep', '60'], {
      ...{ uid, gid, cwd: home, stdio: 'ignore' },
      env: Object.assign(Object.create(null), { PATH: '/usr/bin:/bin', HOME: home }),
    });
    await expect.poll(running, { timeout: 20_000 }).toEqual(['sleep']);
    child.kill('SIGTERM');
    await once(child, 'exit');
    await expect.poll(running).toEqual([]);
  });

  it('resolves every policy, and tries a change without saving it', async () => {
    const home = freshHome(user);
    put(
      user,
      home,
      '.config/cordon/profiles/web.json',
      '{ "extends": "node-dev", "environment": { "deny_vars": ["*_KEY"] } }',
    );
    put(user, home, '.config/cordon/profiles/broken.json', '{ "environment": 7 }');
    put(user, home, '.config/cordon/cordon.toml', '[tools.ruff]\nenv_base = "os-common"\nenv_allow = ["RUFF_*"]\n');
    const ui = await start(user, home, { env: { AWS_REGION: 'eu', AWS_KEY: 'x', RUFF_CACHE: 'y' } });
    const token = await enter(ui);
    const entries = await get<PolicyEntry[]>(ui, token, '/api/policies');
    const named = (kind: string, name: string) => entries.find((one) => one.kind === kind && one.name === name);
    expect(named('profile', 'broken')?.error).toMatch(/./);
    expect(named('agent', 'claude')?.error).toBe(null);
    expect(entries[0]).toMatchObject({ kind: 'defaults' });
    const tool = JSON.parse((await policy(ui, token, { kind: 'tool', name: 'ruff' })).text) as ResolvedPolicy;
    expect(tool.decisions).toContainEqual(expect.objectContaining({ name: 'RUFF_CACHE', verdict: 'pass' }));
    expect(tool.lines).toContainEqual({
      key: 'environment.allow_vars',
      value: 'RUFF_*',
      origin: expect.stringMatching(/cordon\.toml:3:\d+$/),
    });
    const verdicts = async (change?: object) => {
      const { status, text } = await policy(ui, token, { kind: 'profile', name: 'web', change });
      expect(status, text).toBe(200);
      const { decisions } = JSON.parse(text) as ResolvedPolicy;
      return decisions.filter(({ name }) => name.startsWith('AWS_')).map(({ verdict }) => verdict);
    };
    expect(await verdicts()).toEqual(['drop', 'drop']);
    expect(await verdicts({ allow: ['AWS_*'] })).toEqual(['drop', 'pass']);
    expect(await verdicts({ allow: ['AWS_*'], deny: ['AWS_REGION'] })).toEqual(['drop', 'drop']);
    expect(await verdicts()).toEqual(['drop', 'drop']);
    for (const bad of [
      { kind: 'x', name: 'y' },
      { kind: 'profile' },
      { kind: 'profile', name: 'web', change: { allow: 'A' } },
    ])
      expect((await policy(ui, token, bad)).status).toBe(400);
    expect((await policy(ui, token, { kind: 'profile', name: '../../../etc/passwd' })).status).toBe(422);
    expect((await policy(ui, token, { kind: 'profile', name: 'web', change: { allow: ['@nope'] } })).status).toBe(422);
  });

  it('never says a value', async () => {
    const home = freshHome(user);
    const canary = ['canary', '5d1f'].join('-');
    const set = { environment: { set_vars: { API_TOKEN: `sk_${'live'}_${'4eC39HqLyjWDarjtT1zdp7dc'}` } } };
    put(user, home, '.config/cordon/profiles/set.json', JSON.stringify(set));
    const ui = await start(user, home, { env: { PLAIN_NAME: canary, PATH_LIKE: `/x/${canary}`, MY_SECRET: canary } });
    const token = await enter(ui);
    runCordon(['run', '--allow', 'PLAIN_*', '--', 'true', canary], { user, home, env: { PLAIN_NAME: canary } });
    const paths = ['launches', 'policies', 'proofs', 'sessions', 'pending'].map((name) => `/api/${name}`);
    const texts = await Promise.all(paths.map(async (path) => JSON.stringify(await get(ui, token, path))));
    const entries = await get<PolicyEntry[]>(ui, token, '/api/policies');
    for (const entry of entries.slice(0, 6)) texts.push((await policy(ui, token, entry)).text);
    texts.push((await policy(ui, token, { kind: 'profile', name: 'set' })).text);
    const all = texts.join('\n');
    expect(all).toContain('PLAIN_NAME');
    expect(all).toContain('API_TOKEN=***');
    expect(all).not.toContain(canary);
    expect(all).not.toContain('4eC39Hq');
  });

  it('decides about files that were put aside, and only if it was started for that', async () => {
    const home = freshHome(user);
    const script = 'echo one > a; echo two > b; echo alias x=y >> ~/.bashrc';
    put(user, home, 'work/a', 'old\n');
    const ran = runCordon(['run', '--workspace', 'aside', '--', 'sh', '-c', script], {
      user,
      home,
      cwd: join(home, 'work'),
    });
    expect(ran.code, ran.stderr).toBe(0);
    const showing = await start(user, home);
    const showingToken = await enter(showing);
    const { changes } = await get<AllPending>(showing, showingToken, '/api/pending');
    const [waiting] = changes;
    expect(waiting?.files.map(({ path, kind, runs }) => [path, kind, runs])).toEqual(
      expect.arrayContaining([
        [join(home, 'work', 'a'), 'changed', null],
        [join(home, 'work', 'b'), 'new', null],
        [join(home, '.bashrc'), 'new', 'a start-up file of a shell'],
      ]),
    );
    const apply = { launch: waiting?.launch, answer: 'apply' };
    expect((await decide(showing, showingToken, apply)).status).toBe(403);
    expect(readFileSync(join(home, 'work', 'a'), 'utf8')).toBe('old\n');
    const ui = await start(user, home, { flags: ['--decide'] });
    const token = await enter(ui);
    const rows = (await get<Launches>(ui, token, '/api/launches?from=-1')).rows;
    expect(rows[0]).toMatchObject({ id: waiting?.launch, aside: 3 });
    expect((await decide(ui, token, { launch: waiting?.launch, answer: 'maybe' })).status).toBe(400);
    expect((await decide(ui, token, { launch: '../../x', answer: 'drop' })).status).toBe(404);
    const { status, text } = await decide(ui, token, apply);
    expect(status, text).toBe(200);
    expect([readFileSync(join(home, 'work', 'a'), 'utf8'), readFileSync(join(home, 'work', 'b'), 'utf8')]).toEqual([
      'one\n',
      'two\n',
    ]);
    // What starts programs has to be named, as on the command line.
    expect(existsSync(join(home, '.bashrc'))).toBe(false);
    expect((JSON.parse(text) as Decided).files).toContainEqual(
      expect.objectContaining({ path: join(home, '.bashrc'), outcome: 'refused' }),
    );
    const dropped = await decide(ui, token, { launch: waiting?.launch, answer: 'drop' });
    expect((JSON.parse(dropped.text) as Decided).pending.changes).toEqual([]);
    expect((await get<AllPending>(showing, showingToken, '/api/pending')).changes).toEqual([]);
  });

  it('answers for hosts that --net ask lets wait, as the command line does', async () => {
    const home = freshHome(user);
    const profile = '.config/cordon/profiles/web.json';
    put(user, home, profile, '{}\n');
    put(user, home, '.config/cordon/profiles/off.json', '{ "network": { "block": true } }');
    put(user, home, '.config/cordon/profiles/by-hand.toml', '');
    const [showing, ui] = [await start(user, home), await start(user, home, { flags: ['--decide'] })];
    const [showingToken, token] = [await enter(showing), await enter(ui)];
    const hosts = ['a', 'a', 'a', 'b', 'c'].map((name) => `${name}.example.com`);
    const script = hosts.map((host) => `curl -sS -m 60 http://${host}/`).join('; ');
    const flags = ['run', '--profile', 'web', '--net', 'ask', '--fs', 'all', '--', 'sh', '-c', script];
    const running = cordon({ user, home }, flags, await internet());
    const first = await question(ui, token, 'a.example.com:80');
    expect(first).toMatchObject({ command: 'sh', policy: 'profile web' });
    expect(first.until - first.time).toBe(120_000);
    expect(await get<AllPending>(ui, token, '/api/pending')).toMatchObject({ asking: 1, profiles: ['web'] });
    expect((await get<Launches>(ui, token, '/api/launches')).asking).toBe(1);

    const once = { question: first.id, answer: 'once' };
    expect((await decide(showing, showingToken, once)).status).toBe(403);
    for (const bad of [{ answer: 'apply' }, { answer: 'yes' }, { profile: 7 }, { question: 7 }])
      expect((await decide(ui, token, { ...once, ...bad })).status).toBe(400);
    for (const strange of ['off', 'by-hand', 'node-dev', '../../x', '/etc/x.json'])
      expect((await decide(ui, token, { ...once, profile: strange })).status).toBe(422);
    expect((await decide(ui, token, { ...once, question: '../x' })).status).toBe(422);
    expect((await question(ui, token, first.host)).id).toBe(first.id);

    expect((await decide(ui, token, once)).status).toBe(200);
    const again = await question(ui, token, 'a.example.com:80', first.id);
    expect((await decide(ui, token, { question: again.id, answer: 'launch' })).status).toBe(200);
    const other = await question(ui, token, 'b.example.com:80');
    const written = await decide(ui, token, { question: other.id, answer: 'launch', profile: 'web' });
    expect(written.status, written.text).toBe(200);
    const last = await question(ui, token, 'c.example.com:80');
    expect((await decide(ui, token, { question: last.id, answer: 'no' })).status).toBe(200);
    const { stdout } = await running;
    expect(stdout).toBe(
      `${hosts.slice(0, 4).join('\n')}\ncordon: c.example.com:80 is not let through: no rule names it\n`,
    );
    expect(JSON.parse(readFileSync(join(home, profile), 'utf8'))).toEqual({ network: { allow: ['b.example.com'] } });
    expect(statSync(join(home, profile)).uid).toBe(identityOf(user).uid);
    expect(await get<AllPending>(ui, token, '/api/pending')).toMatchObject({ questions: [], asking: 0 });

    const [row] = (await get<Launches>(ui, token, '/api/launches?from=-1')).rows;
    expect(row).toMatchObject({ folder: home, durationMs: expect.any(Number), hostsReached: 2, hostsRefused: 1 });
    const details = await get<LaunchDetails>(ui, token, `/api/launch?id=${row?.id}`);
    expect(details).toMatchObject({ preset: 'all', network: 'ask' });
    expect(details.hosts.map(({ name, outcome, count }) => [name, outcome, count])).toEqual([
      ['a.example.com:80', 'reached', 3],
      ['b.example.com:80', 'reached', 1],
      ['c.example.com:80', 'refused', 1],
    ]);
  });

  it('takes no large, slow or strange requests', async () => {
    const ui = await start(user);
    const token = await enter(ui);
    const body = JSON.stringify({ kind: 'profile', name: 'x'.repeat(70_000) });
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    expect((await ask(ui, '/api/policy', { method: 'POST', headers, body })).status).toBe(413);
    expect((await ask(ui, '/api/policy', { method: 'POST', headers: bearer(token), body: '{}' })).status).toBe(415);
    expect((await ask(ui, '/api/policy', { method: 'POST', headers, body: '[' })).status).toBe(400);
    expect((await ask(ui, '/api/launches', { method: 'DELETE', headers: bearer(token) })).status).toBe(404);
    expect((await ask(ui, '/../../etc/passwd', { headers: bearer(token) })).status).toBe(404);
    expect((await ask(ui, '//evil.example/api/launches', { headers: bearer(token) })).status).toBe(404);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends by %s, leaving nothing', async (signal) => {
    const home = freshHome(user);
    const ui = await startUi(user, home);
    ui.child.kill(signal);
    expect(await ui.ended).toMatchObject({ code: 0 });
    expect(existsSync(stateOf(home)) ? readdirSync(stateOf(home)) : []).toEqual([]);
  });

  it('keeps the same in a folder, for its owner only, and follows no link there', () => {
    const home = freshHome(user);
    put(user, home, '.local/state/cordon/audit.jsonl', recordLine(1, Date.now(), { command: '</script><b>x' }));
    put(user, home, 'precious', 'as it was');
    put(user, home, 'page/other', '');
    symlinkSync(join(home, 'precious'), join(home, 'page', 'index.html'));
    const { code, stdout, stderr } = runCordon(['ui', '--static', 'page'], { user, home });
    expect([code, stdout], stderr).toEqual([0, `${join(home, 'page', 'index.html')}\n`]);
    expect(readFileSync(join(home, 'precious'), 'utf8')).toBe('as it was');
    expect(lstatSync(join(home, 'page', 'index.html')).isFile()).toBe(true);
    for (const name of ['index.html', 'data.json']) expect(statSync(join(home, 'page', name)).mode & 0o777).toBe(0o600);
    const page = readFileSync(join(home, 'page', 'index.html'), 'utf8');
    expect(page).not.toContain('</script><b>');
    const data = JSON.parse(readFileSync(join(home, 'page', 'data.json'), 'utf8'));
    expect(data.launches.rows[0].command).toBe('</script><b>x');
    expect(runCordon(['ui', '--static', '/proc/x'], { user, home }).code).toBe(125);
  });

  it('says what is wrong with its flags', () => {
    for (const flags of [['word'], ['--port', 'x'], ['--port', '70000'], ['--static', 'd', '--decide']])
      expect(runCordon(['ui', ...flags], { user })).toMatchObject({ code: 125, stdout: '' });
  });
});

/** A request of another user of this machine, who has even got hold of the token. */
function asOther(uid: number, { port }: RunningUi, token: string, localAddress: string): string {
  const host = localAddress.includes(':') ? '::ffff:127.0.0.1' : '127.0.0.1';
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
  const request = { host, port, localAddress, path: '/api/launches', headers };
  const script = `require('node:http').get(${JSON.stringify(request)}, (a) => { console.log(a.statusCode); a.destroy(); })`;
  return execFileSync(process.execPath, ['-e', script], { uid, gid: uid, cwd: '/', env: {}, encoding: 'utf8' }).trim();
}

describe.each(ONLY_ROOT)('with more than one user, as %s', () => {
  it('another user gets nothing, with a token or without', async () => {
    const ui = await start('cordon-test');
    const token = await enter(ui);
    for (const from of ['127.0.0.1', '127.0.0.2', '127.255.1.9', '::ffff:127.0.0.3']) {
      expect(asOther(65_534, ui, token, from)).toBe('403');
      expect(asOther(identityOf('cordon-test').uid, ui, token, from)).toBe('200');
    }
    const fetched = spawnSync('setpriv', [
      '--reuid=65534',
      '--clear-groups',
      process.execPath,
      '-e',
      `fetch('${ui.origin}/').then((a) => console.log(a.status))`,
    ]);
    expect(String(fetched.stdout).trim()).toBe('403');
    expect((await ask(ui, '/api/launches', { headers: bearer(token) })).status).toBe(200);
  });

  it('hands the link to the browser in a file of its own, not as an argument', async () => {
    const home = freshHome('cordon-test');
    const folder = trustedFolder('browser');
    const seen = join(home, 'seen');
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${seen}; stat -c %a "$1" >> ${seen}; cat "$1" >> ${seen}\nenv | cut -d= -f1 >> ${seen}; mv ${seen} ${seen}.done\n`,
      { mode: 0o755 },
    );
    const ui = await start('cordon-test', home, {
      env: { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':9', MY_SECRET: 'x' },
    });
    await expect.poll(() => existsSync(`${seen}.done`)).toBe(true);
    const [file = '', mode, html, ...names] = readFileSync(`${seen}.done`, 'utf8').trim().split('\n');
    expect([file.startsWith(stateOf(home)), mode]).toEqual([true, '600']);
    expect(html).toContain(ui.link);
    expect(names).toContain('DISPLAY');
    expect(names).not.toContain('MY_SECRET');
    expect(existsSync(file)).toBe(true);
    await enter(ui);
    expect(existsSync(file)).toBe(false);
  });
});

describe('the server', () => {
  const env = ParentEnv.fromRecord({});
  const page = { html: Buffer.from('<!doctype html>'), contentPolicy: "default-src 'none'" };
  const around = { env, folders: { config: undefined, bin: undefined, state: undefined }, workdir: '/' };
  const server = (idleMs: number) =>
    new UiServer({
      ...around,
      ...{ page, records: new PageRecords(around), port: 0, decide: false, version: '0', idleMs },
      onEntered: () => undefined,
    });

  it('ends when nobody used it for so long; a page that lies open does not count', async () => {
    const one = server(1500);
    await one.start();
    const { port, hash } = new URL(one.link());
    const asking = { port: Number(port) };
    const entered = await ask(asking, '/api/enter', { method: 'POST', headers: bearer(hash.slice(1)) });
    const { token } = JSON.parse(entered.text) as Welcome;
    const poll = setInterval(
      () =>
        void ask(asking, '/api/launches', { headers: { ...bearer(token), 'cordon-untouched': '10' } }).catch(
          () => undefined,
        ),
      50,
    );
    await one.idle;
    clearInterval(poll);
    await one.stop();
  });

  it('gives out few links at a time, and the oldest ends first', async () => {
    const one = server(60_000);
    await one.start();
    const links = Array.from({ length: 10 }, () => new URL(one.link()));
    const statusOf = async (link: URL | undefined) =>
      (
        await ask({ port: Number(link?.port) }, '/api/enter', {
          method: 'POST',
          headers: bearer(link?.hash.slice(1) ?? ''),
        })
      ).status;
    expect([await statusOf(links[0]), await statusOf(links[9])]).toEqual([401, 200]);
    await one.stop();
  });
});
