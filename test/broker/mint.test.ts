import { expect, test } from 'vitest';
import { mintsFor } from '../../src/policy/broker-rule.ts';
import { ask, bearer, frontOf, hostOf, NAME, serverOf, VALUE } from './support.ts';

const MINTED = ['ghs', 'mInTeDmInTeDmInTeDmInTeDmInTeDmInTeD'].join('_');
const mint = {
  about: 'a test',
  host: hostOf(NAME),
  methods: ['POST'],
  path: '/token',
  fields: ['token', 'more.refresh'],
};

async function server() {
  const seen: (string | undefined)[] = [];
  const port = await serverOf((req, res) => {
    seen.push(req.headers.authorization);
    req.resume().once('end', () => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(
        JSON.stringify(
          req.url === '/token'
            ? { token: MINTED, more: { refresh: `${MINTED}2` }, expires_in: 3600, login: 'ada' }
            : { got: req.headers.authorization },
        ),
      );
    });
  });
  return { port, seen };
}

test('what a server makes out of a credential becomes a placeholder too, which works where the credential does', async () => {
  const { port, seen } = await server();
  const front = await frontOf(port, { mints: [mint] });
  const made = await ask(front, { method: 'POST', path: '/token', headers: bearer, body: '{}' });
  const { token, more, expires_in, login } = JSON.parse(made.body);
  expect(seen).toEqual([`Bearer ${VALUE}`]);
  expect(made.body).not.toContain(MINTED);
  expect(token).toMatch(/^ghs_[0-9A-Za-z]{36}$/);
  expect(more.refresh).not.toBe(`${MINTED}2`);
  expect({ expires_in, login }).toEqual({ expires_in: 3600, login: 'ada' });
  const used = await ask(front, { headers: { authorization: `Bearer ${token}` } });
  expect(seen[1]).toBe(`Bearer ${MINTED}`);
  expect(used.body).not.toContain(MINTED);
  expect(front.records[1]).toMatchObject({ verdict: 'swapped', credentials: ['TOKEN.token'] });
});

test('an address that hands out credentials in an unknown way is refused before anything is sent', async () => {
  const { port, seen } = await server();
  const front = await frontOf(port, { mints: [{ ...mint, fields: [] }] });
  for (const path of ['/token', '/token/', '/token?x=1']) {
    const answer = await ask(front, { method: 'POST', path, headers: bearer, body: '{}' });
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('(rule: mint)');
  }
  expect(seen).toEqual([]);
});

test('an answer without the credential that it should have is kept', async () => {
  const port = await serverOf((req, res) => req.resume().once('end', () => res.end(`token=${MINTED}`)));
  const answer = await ask(await frontOf(port, { mints: [mint] }), {
    method: 'POST',
    path: '/token',
    headers: bearer,
    body: '',
  });
  expect(answer.status).toBe(403);
  expect(answer.body).not.toContain(MINTED);
});

test('services bring their own', () => {
  const hosts = (names: string[]) =>
    mintsFor([{ hosts: names.map(hostOf), places: [], methods: [], paths: [] }]).map(({ host }) => host.name);
  expect(hosts(['api.anthropic.com'])).toContain('console.anthropic.com');
  expect(hosts(['*.github.com'])).toContain('api.github.com');
  expect(hosts(['api.example.test'])).toEqual([]);
});
