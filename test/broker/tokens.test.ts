import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Held } from '../../src/broker/held.ts';
import { logInPlaceholder } from '../../src/broker/placeholder.ts';
import type { Confirm } from '../../src/broker/token-request.ts';
import type { Bytes } from '../../src/host/bytes.ts';
import { mintsFor, tokenRule } from '../../src/policy/broker-rule.ts';
import { LOG_INS, type LogInName, logInOf } from '../../src/policy/log-ins.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { ONLY_ROOT } from '../support/users.ts';
import { AUTHORITY, FILES, fileOf, TOKENS, type Vendor, vendorOf } from './log-in-scene.ts';
import { type Front, frontOf } from './support.ts';

interface Scene {
  readonly agent: LogInName;
  readonly vendor: Vendor;
  readonly front: Front;
  readonly file: string;
  readonly said: string[];
  /** By their names in an answer. */
  readonly placeholders: Readonly<Record<string, string>>;
}

interface More {
  readonly answering?: Parameters<typeof vendorOf>[1];
  readonly confirm?: Confirm;
  readonly host?: string;
  readonly vendor?: Vendor;
  readonly file?: string;
  readonly locks?: string | undefined;
}

/** A broker with the log-in of an agent, in front of what stands in for its vendor. */
async function sceneOf(agent: LogInName, more: More = {}): Promise<Scene> {
  const vendor = more.vendor ?? (await vendorOf(agent, more.answering));
  const file = more.file ?? fileFor(agent);
  const tokens = TOKENS[agent](0);
  const held = logInOf(agent).tokens.flatMap((token): Held[] => {
    const value = tokens[token.field ?? ''];
    if (value === undefined) return [];
    const name = `${agent}.${token.field}`;
    const placeholder = logInPlaceholder(name as Bytes, new Secret(value as Bytes), []);
    return [{ name, placeholder, value, rule: tokenRule(agent, token), logIn: { id: 0, at: token.at } }];
  });
  const said: string[] = [];
  const front = await frontOf(vendor.port, {
    dialled: { name: more.host ?? logInOf(agent).hosts[0] ?? '', port: 443 },
    held,
    trust: [AUTHORITY.certificate],
    mints: mintsFor([], [agent]),
    logIns: [{ agent, file }],
    locks: 'locks' in more ? more.locks : join(dirname(file), 'locks'),
    say: (text) => said.push(text),
    ...(more.confirm === undefined ? {} : { confirm: more.confirm }),
  });
  const placeholders = Object.fromEntries(held.map((one) => [one.name.split('.')[1], one.placeholder]));
  return { agent, vendor, front, file, said, placeholders };
}

function fileFor(agent: LogInName): string {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-log-in-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, FILES[agent]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(fileOf(agent, 0)), { mode: 0o600 });
  return file;
}

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly host?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** What the agent sends to renew its log-in, with changes. */
function ask({ agent, front, placeholders }: Scene, request: Request = {}): Promise<Answer> {
  const { client, path, hosts } = logInOf(agent);
  const name = request.host ?? hosts[0] ?? '';
  const { refresh_token } = placeholders;
  const fields = { grant_type: 'refresh_token', refresh_token, client_id: client, ...request.fields };
  const body = request.body ?? JSON.stringify(fields);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port: front.port, host: '127.0.0.1', servername: name, ca: front.ca }, () => {
      const headers = { host: name, 'content-type': 'application/json', ...request.headers };
      const sent = http.request(
        { createConnection: () => socket, method: request.method ?? 'POST', path: request.path ?? path, headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.once('error', reject);
          response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
    socket.once('error', reject);
    onTestFinished(() => void socket.destroy());
  });
}

const refreshIn = (file: string) => JSON.parse(readFileSync(file, 'utf8')).claudeAiOauth.refreshToken;
const rulesOf = ({ front }: Scene) => front.records.map(({ verdict, rule }) => `${verdict} ${rule}`);

describe('refused, with nothing sent and the file as it was', () => {
  const other = Object.entries(LOG_INS).map(([, { client }]) => client)[1];
  test.each<[string, Request, string]>([
    ['another client', { fields: { client_id: other } }, 'client'],
    ['no client', { fields: { client_id: undefined } }, 'client'],
    [
      'a placeholder of another launch',
      { fields: { refresh_token: ['sk-ant', 'ort01', 'x'.repeat(80)].join('-') } },
      'mint',
    ],
    ['a token of its own', { fields: { refresh_token: TOKENS.claude(7).refresh_token } }, 'mint'],
    ['keys for tokens', { fields: { grant_type: 'client_credentials', refresh_token: undefined } }, 'mint'],
    [
      'an exchange',
      { fields: { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', refresh_token: undefined } },
      'mint',
    ],
    ['a log-in with the placeholder in it', { fields: { grant_type: 'authorization_code' } }, 'mint'],
    ['a query', { path: '/v1/oauth/token?client_id=x' }, 'mint'],
    ['another method', { method: 'PUT' }, 'method'],
    [
      'another method for a log-in',
      { method: 'PUT', fields: { grant_type: 'authorization_code', code: 'x', refresh_token: undefined } },
      'mint',
    ],
    ['a method in a header', { headers: { 'x-http-method-override': 'PUT' } }, 'method'],
    ['another spelling of the path', { path: '/v1//oauth/token' }, 'path'],
    ['a log-in of its own in a header', { headers: { authorization: 'Basic eDp5' } }, 'mint'],
    ['no JSON', { body: 'grant_type', headers: {} }, 'mint'],
    ['a body that says it is something else', { headers: { 'content-type': 'text/plain' } }, 'encoded'],
    ['a long body', { fields: { more: 'x'.repeat(1 << 20) } }, 'size'],
  ])('%s', async (_, request, rule) => {
    const scene = await sceneOf('claude');
    const { status, text } = await ask(scene, request);
    expect(status).toBe(403);
    expect(text).toContain(`(rule: ${rule})`);
    expect(scene.vendor.seen).toEqual([]);
    expect(refreshIn(scene.file)).toBe(TOKENS.claude(0).refresh_token);
    expect(rulesOf(scene)).toEqual([`refused ${rule}`]);
  });

  test('the access token where only the other is wanted, and the other way round', async () => {
    const scene = await sceneOf('claude');
    const { access_token } = scene.placeholders;
    const swapped = await ask(scene, { fields: { refresh_token: access_token } });
    expect(swapped.text).toMatch(/\(rule: host\)/);
    const api = await sceneOf('claude', { host: 'api.anthropic.com' });
    const { refresh_token } = api.placeholders;
    const sent = await ask(api, {
      host: 'api.anthropic.com',
      path: '/v1/messages',
      body: '{}',
      headers: { authorization: `Bearer ${refresh_token}` },
    });
    expect(sent.text).toMatch(/\(rule: host\)/);
    expect([...scene.vendor.seen, ...api.vendor.seen]).toEqual([]);
  });

  test('a field that stands there twice is sent once, as it was read', async () => {
    const scene = await sceneOf('claude');
    const { client } = logInOf('claude');
    const { refresh_token } = scene.placeholders;
    const body = `{"client_id":"other","grant_type":"refresh_token","refresh_token":"${refresh_token}","client_id":"${client}"}`;
    expect((await ask(scene, { body })).status).toBe(200);
    expect(scene.vendor.seen[0]?.body).toBe(
      JSON.stringify({ client_id: client, grant_type: 'refresh_token', refresh_token: TOKENS.claude(0).refresh_token }),
    );
  });
});

describe('an answer', () => {
  test('that is compressed, in chunks, and echoes what was sent, holds placeholders alone', async () => {
    const scene = await sceneOf('claude', {
      answering: (res, tokens, body) => {
        const text = JSON.stringify({ ...tokens, expires_in: 60, account: { said: body }, secret: 'not known' });
        res.setHeader('content-encoding', 'gzip');
        res.setHeader('x-echo', body);
        res.setHeader('set-cookie', 'session=1');
        for (const byte of zlib.gzipSync(text)) res.write(Buffer.from([byte]));
        res.end();
      },
    });
    const { status, text, headers } = await ask(scene);
    expect(status, text).toBe(200);
    const all = text + JSON.stringify(headers);
    for (const token of [0, 1].flatMap((number) => Object.values(TOKENS.claude(number))))
      expect(all).not.toContain(token);
    expect(JSON.parse(text)).toMatchObject({ access_token: expect.stringMatching(/^sk-ant-oat01-/), expires_in: 60 });
    expect(all).not.toMatch(/not known|session=1/);
    expect(refreshIn(scene.file)).toBe(TOKENS.claude(1).refresh_token);
  });

  test.each<[string, (res: http.ServerResponse, tokens: object) => void]>([
    ['is broken JSON', (res, tokens) => res.end(JSON.stringify(tokens).slice(0, -1))],
    ['is no object', (res) => res.end('["token"]')],
    ['has no access token', (res) => res.end('{"refresh_token":"not-enough-of-an-answer"}')],
    ['has tokens that are none', (res) => res.end('{"access_token":{"a":1},"refresh_token":7}')],
    ['has a line break in a token', (res) => res.end('{"access_token":"12345678\\nx-evil: 1"}')],
    ['is huge', (res, tokens) => res.end(JSON.stringify({ ...tokens, more: 'x'.repeat(2 << 20) }))],
    [
      'unpacks to something huge',
      (res) => res.setHeader('content-encoding', 'gzip').end(zlib.gzipSync(Buffer.alloc(8 << 20))),
    ],
  ])('that %s is not handed on, and the file stays', async (_, answering) => {
    const scene = await sceneOf('claude', { answering });
    const { status, text } = await ask(scene);
    expect(status).toBe(403);
    expect(text).toMatch(/\(rule: (?:log-in|size)\)/);
    expect(text).not.toMatch(/real1|not-enough|12345678/);
    expect(refreshIn(scene.file)).toBe(TOKENS.claude(0).refresh_token);
  });

  test.each([
    ['plain', (text: string) => Buffer.from(text)],
    ['compressed', (text: string) => zlib.gzipSync(text)],
  ])('that breaks off is a failure, %s, and the next renewal goes on', async (coding, packed) => {
    let isBroken = true;
    const scene = await sceneOf('claude', {
      answering: (res, tokens) => {
        const whole = packed(JSON.stringify(tokens));
        if (coding === 'compressed') res.setHeader('content-encoding', 'gzip');
        if (!isBroken) return void res.end(whole);
        res.setHeader('content-length', whole.length);
        res.write(whole.subarray(0, 20), () => res.socket?.destroy());
      },
    });
    expect((await ask(scene)).status).toBe(502);
    isBroken = false;
    writeFileSync(scene.file, JSON.stringify(fileOf('claude', 1)));
    expect((await ask(scene)).status).toBe(200);
    expect(rulesOf(scene)).toEqual(['failed unreachable', 'swapped renewed']);
  });

  test('that says no goes through, without the token that it echoes', async () => {
    const scene = await sceneOf('claude', {
      answering: (res, _tokens, body) => res.writeHead(400).end(JSON.stringify({ error: 'invalid_grant', body })),
    });
    const { status, text } = await ask(scene);
    expect(status).toBe(400);
    expect(text).toContain('invalid_grant');
    expect(text).not.toContain(TOKENS.claude(0).refresh_token);
  });
});

test('HTTP/2 is no other way', async () => {
  const scene = await sceneOf('claude');
  const { hosts, path, client } = logInOf('claude');
  const name = hosts[0] ?? '';
  const session = http2.connect(`https://${name}`, {
    createConnection: () =>
      tls.connect({
        port: scene.front.port,
        host: '127.0.0.1',
        servername: name,
        ca: scene.front.ca,
        ALPNProtocols: ['h2'],
      }),
  });
  onTestFinished(() => session.destroy());
  const post = async (fields: object) => {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
    stream.end(JSON.stringify({ client_id: client, ...fields }));
    const [headers] = await once(stream, 'response');
    return `${headers[':status']} ${await text(stream)}`;
  };
  const { refresh_token } = scene.placeholders;
  expect(await post({ grant_type: 'refresh_token', refresh_token, client_id: 'other' })).toMatch(
    /^403 .*rule: client/s,
  );
  expect(await post({ grant_type: 'authorization_code', code: 'from-a-browser' })).toMatch(/^403 .*rule: log-in/s);
  const renewed = await post({ grant_type: 'refresh_token', refresh_token });
  expect(renewed).toMatch(/^200 .*"sk-ant-oat01-/s);
  expect(renewed).not.toContain(TOKENS.claude(1).access_token);
  expect(scene.vendor.seen).toHaveLength(1);
  expect(refreshIn(scene.file)).toBe(TOKENS.claude(1).refresh_token);
});

describe('placeholders that were replaced', () => {
  test('get what replaced them, and no token is sent twice', async () => {
    const scene = await sceneOf('claude');
    const [one, two, three] = await Promise.all([ask(scene), ask(scene), ask(scene)]);
    const late = await ask(scene);
    expect([one, two, three, late].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const fresh = [one, two, three, late].map(({ text }) => JSON.parse(text).refresh_token);
    expect(new Set(fresh).size).toBe(1);
    expect(fresh[0]).not.toBe(scene.placeholders.refresh_token);
    expect(scene.vendor.seen).toHaveLength(1);
    expect(rulesOf(scene).toSorted()).toEqual(['swapped again', 'swapped again', 'swapped again', 'swapped renewed']);
  });
});

describe('the file', () => {
  test('that somebody else renewed meanwhile is where the next renewal begins', async () => {
    const vendor = await vendorOf('claude');
    const first = await sceneOf('claude', { vendor });
    const second = await sceneOf('claude', { vendor, file: first.file });
    expect((await ask(first)).status).toBe(200);
    expect((await ask(second)).status).toBe(200);
    expect(vendor.reused).toEqual([]);
    expect(refreshIn(first.file)).toBe(TOKENS.claude(2).refresh_token);
  });

  test('is renewed also where no lock can be made', async () => {
    const file = fileFor('claude');
    const scene = await sceneOf('claude', { file, locks: join(file, 'locks') });
    expect((await ask(scene)).status).toBe(200);
    expect(refreshIn(file)).toBe(TOKENS.claude(1).refresh_token);
  });

  test('that somebody logged in to anew while nothing could be written stays as it is', async () => {
    const file = fileFor('claude');
    const scene = await sceneOf('claude', { file });
    const folder = dirname(file);
    rmSync(file);
    mkdirSync(file); // Can be neither read nor replaced.
    expect((await ask(scene)).status).toBe(200);
    expect(scene.said).toHaveLength(1);
    rmSync(file, { recursive: true });
    writeFileSync(file, JSON.stringify(fileOf('claude', 5)));
    await scene.front.broker.settled();
    expect(refreshIn(file)).toBe(TOKENS.claude(5).refresh_token);
    expect(readdirSync(folder).toSorted()).toEqual(['.credentials.json', 'locks']);
  });

  test('that is gone means that somebody logged out', async () => {
    const scene = await sceneOf('claude');
    rmSync(scene.file);
    const { status, text } = await ask(scene);
    expect(status).toBe(403);
    expect(text).toContain('there is no log-in in');
    expect(scene.vendor.seen).toEqual([]);
  });

  test('is replaced whole, with nothing left beside it', async () => {
    const scene = await sceneOf('claude');
    await ask(scene);
    expect(readdirSync(dirname(scene.file)).toSorted()).toEqual(['.credentials.json', 'locks']);
    expect(JSON.parse(readFileSync(scene.file, 'utf8'))).toMatchObject({
      claudeAiOauth: { subscriptionType: 'max', scopes: ['user:inference', 'user:profile'] },
      mcpOAuth: { server: { accessToken: 'token-of-another-service' } },
    });
  });
});

describe.each(ONLY_ROOT)('a full disk, made by %s', () => {
  test('is said once; the new tokens are good for the launch, and written when there is room again', async () => {
    const file = fileFor('claude');
    const folder = dirname(file);
    const text = readFileSync(file);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('umount', [folder]));
    writeFileSync(file, text, { mode: 0o600 });
    const scene = await sceneOf('claude', { file, locks: undefined });
    expect(() => writeFileSync(join(folder, 'fill'), Buffer.alloc(32 << 10))).toThrow(/ENOSPC/);
    const { status, text: answer } = await ask(scene);
    expect(status, answer).toBe(200);
    expect(scene.said).toEqual([
      expect.stringMatching(/can't be written to .* \(ENOSPC\): it is good for this launch/),
    ]);
    expect(readFileSync(file)).toEqual(text);
    expect(readdirSync(folder).toSorted()).toEqual(['.credentials.json', 'fill']);
    rmSync(join(folder, 'fill'));
    await scene.front.broker.settled();
    expect(refreshIn(file)).toBe(TOKENS.claude(1).refresh_token);
    expect(scene.said).toHaveLength(1);
  });
});

describe('a new log-in', () => {
  const code = { grant_type: 'authorization_code', code: 'from-a-browser', refresh_token: undefined };

  test('that a person agrees to replaces the old one, and the command gets placeholders', async () => {
    const scene = await sceneOf('claude', { confirm: async () => true });
    const { status, text } = await ask(scene, { fields: code });
    expect(status, text).toBe(200);
    expect(text).not.toMatch(/real1/);
    expect(refreshIn(scene.file)).toBe(TOKENS.claude(1).refresh_token);
  });

  test.each<[string, More]>([
    ['nobody is there to agree', {}],
    ['the person does not agree', { confirm: async () => false }],
  ])('is refused where %s', async (_, more) => {
    const scene = await sceneOf('claude', more);
    const { status, text } = await ask(scene, { fields: code });
    expect(status).toBe(403);
    expect(text).toContain('nobody agreed to it');
    expect(scene.vendor.seen).toEqual([]);
  });

  test('for another client is not even asked about', async () => {
    let asked = 0;
    const scene = await sceneOf('claude', {
      confirm: async () => {
        asked++;
        return true;
      },
    });
    expect((await ask(scene, { fields: { ...code, client_id: 'other' } })).text).toContain('(rule: client)');
    expect(asked).toBe(0);
  });
});
