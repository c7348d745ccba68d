import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import { placeholderFor, placeholdersFor, refuseUnbrokered } from '../../src/broker/placeholder.ts';
import { type Bytes, bytesOfText } from '../../src/host/bytes.ts';
import { matchesPath, parseBrokerHost, parseBrokerPlace, parseMethod, parsePath } from '../../src/policy/broker.ts';
import { SERVICES } from '../../src/policy/services.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { hostOf, listening } from './support.ts';

const hosts = [hostOf('api.example.test'), hostOf('*.wild.test')];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'cordon-authority-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

describe('the CA of a launch', () => {
  const authority = newAuthority(hosts);
  const issuer = new Issuer(authority);

  test('vouches for the brokered hosts and no others', () => {
    const dir = folder();
    writeFileSync(join(dir, 'ca.pem'), authority.certificate);
    const verify = (name: string) => {
      writeFileSync(join(dir, 'leaf.pem'), issuer.leafFor(name).cert);
      return spawnSync(
        'openssl',
        [
          'verify',
          '-x509_strict',
          '-purpose',
          'sslserver',
          '-verify_hostname',
          name,
          '-CAfile',
          join(dir, 'ca.pem'),
          join(dir, 'leaf.pem'),
        ],
        { encoding: 'utf8' },
      );
    };
    expect(verify('api.example.test').stdout).toContain('OK');
    expect(verify('a.wild.test').stdout).toContain('OK');
    expect(verify('bank.test').stderr).toContain('permitted subtree violation');
    const leaf = new X509Certificate(issuer.leafFor('api.example.test').cert);
    expect(leaf.checkHost('api.example.test')).toBe('api.example.test');
    expect(leaf.checkHost('example.test')).toBeUndefined();
    expect(new X509Certificate(authority.certificate).ca).toBe(true);
    expect(issuer.leafFor('api.example.test')).toBe(issuer.leafFor('api.example.test'));
  });

  test('satisfies curl and Python at its strictest', async () => {
    const https = await import('node:https');
    const port = await listening(https.createServer(issuer.leafFor('api.example.test'), (_, res) => res.end('hello')));
    const dir = folder();
    const ca = join(dir, 'ca.pem');
    writeFileSync(ca, authority.certificate);
    const { promisify } = await import('node:util');
    const run = promisify((await import('node:child_process')).execFile);
    const curl = await run('curl', [
      '-sS',
      '--cacert',
      ca,
      '--resolve',
      `api.example.test:${port}:127.0.0.1`,
      `https://api.example.test:${port}/`,
    ]);
    expect(curl.stdout).toBe('hello');
    const script = `import ssl, socket
c = ssl.create_default_context(cafile=${JSON.stringify(ca)}); c.verify_flags |= ssl.VERIFY_X509_STRICT
s = c.wrap_socket(socket.create_connection(('127.0.0.1', ${port})), server_hostname='api.example.test'); print(s.version())`;
    expect((await run('python3', ['-c', script])).stdout).toMatch(/TLSv1/);
  });
});

const secret = (text: string) => new Secret(bytesOfText(text));
const NAME = 'TOKEN' as Bytes;

describe('placeholders', () => {
  test.each([
    ['a GitHub token', ['ghp', 'a1B2'.repeat(9)].join('_'), /^ghp_[0-9A-Za-z]{36}$/],
    ['an Anthropic key', ['sk-ant-api03', 'aB-9'.repeat(23)].join('-'), /^sk-ant-api03-[0-9A-Za-z]{92}$/],
    ['hex', ['dop_v1', 'a1'.repeat(32)].join('_'), /^dop_v1_[0-9a-f]{64}$/],
    ['a form that nobody knows', 'correct horse battery', /^cordon_token_[0-9A-Za-z]{32}$/],
    ['too few characters for 128 bits', ['AKIA', 'ABCDEFGH01234567'].join(''), /^cordon_token_[0-9A-Za-z]{32}$/],
    ['a long one', 'eyJ'.padEnd(10_000, 'a'), /^cordon_token_/],
  ])('of %s', (_, value, form) => {
    const made = placeholderFor(NAME, secret(value), []);
    expect(made).toMatch(form);
    expect(made).not.toBe(placeholderFor(NAME, secret(value), []));
  });

  test('none is inside another, nor has anything of the value but its prefix', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 8, maxLength: 80, unit: 'binary-ascii' }), {
          minLength: 1,
          maxLength: 8,
        }),
        (values) => {
          const map = new Map(values.map((value, at) => [`N${at}` as Bytes, secret(value)]));
          const made = [...placeholdersFor(map).values()];
          expect(made.some((one) => made.some((other) => one !== other && one.includes(other)))).toBe(false);
          expect(new Set(made).size).toBe(values.length);
        },
      ),
    );
  });

  test.each([
    ['abc', /3 bytes/],
    ['line one\nline two', /line break/],
  ])('no placeholder for %j', (value, reason) => {
    expect(() => refuseUnbrokered(NAME, secret(value), 'flag --broker')).toThrow(reason);
  });
});

describe('rules', () => {
  test.each(['*', '*.*', '*.com', '1.2.3.4', 'a..b', 'a b', 'a:0', 'a:70000', '', '*.', 'x*.example.com', '[::1]'])(
    'no host: %j',
    (text) => {
      expect(parseBrokerHost(text)).toHaveProperty('problem');
    },
  );

  test.each(['authorization', 'header X-Key', 'query key', 'body a.b'])('a place: %s', (text) => {
    expect(parseBrokerPlace(text)).toHaveProperty('value');
  });

  test.each(['', 'cookie', 'header', 'header Host', 'header Content-Length', 'query a b', 'path', 'body a/b'])(
    'no place: %j',
    (text) => {
      expect(parseBrokerPlace(text)).toHaveProperty('problem');
    },
  );

  test('paths and methods', () => {
    expect(matchesPath('/repos/**', '/repos/a/b')).toBe(true);
    expect(matchesPath('/repos/**', '/repos')).toBe(true);
    expect(matchesPath('/repos/**', '/reposx')).toBe(false);
    expect(matchesPath('/a/**/b', '/a/b')).toBe(true);
    expect(matchesPath('/a/**/b', '/a/x/y/b')).toBe(true);
    expect(matchesPath('/a/**/b', '/ab')).toBe(false);
    expect(matchesPath('/o/oauth2/**token', '/o/oauth2/v4/token')).toBe(true);
    expect(matchesPath('/repos/*/issues', '/repos/a/issues')).toBe(true);
    expect(matchesPath('/repos/*/issues', '/repos/a/b/issues')).toBe(false);
    expect(matchesPath('/a.b', '/axb')).toBe(false);
    expect(parsePath('repos')).toHaveProperty('problem');
    expect(parsePath('/a/../b')).toHaveProperty('problem');
    expect(parseMethod('get')).toEqual({ value: 'GET' });
    expect(parseMethod('G T')).toHaveProperty('problem');
  });

  test.each(Object.entries(SERVICES))(
    'the service %s is written as rules are',
    (_, { hosts: names, places, mints = [], variables, source }) => {
      expect(names.map(parseBrokerHost).filter((one) => 'problem' in one)).toEqual([]);
      expect(places.map(parseBrokerPlace).filter((one) => 'problem' in one)).toEqual([]);
      expect(
        mints
          .flatMap(({ host, hosts: more = [] }) => [host, ...more])
          .map(parseBrokerHost)
          .filter((one) => 'problem' in one),
      ).toEqual([]);
      expect(mints.map(({ path }) => parsePath(path)).filter((one) => 'problem' in one)).toEqual([]);
      expect(variables.length).toBeGreaterThan(0);
      expect(source).toMatch(/^https:\/\//);
    },
  );
});
