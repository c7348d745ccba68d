import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { cordon, sceneOf } from '../network/support.ts';
import { openFolder } from '../support/project.ts';
import { USERS } from '../support/users.ts';
import { listening, VALUE } from './support.ts';

const KEY = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -batch'.split(' ');
const SIGNED = 'x509 -req -CA ca.crt -CAkey ca.key -CAcreateserial'.split(' ');

/** Certificates by a CA of the company, of which one is over and one was made by the server itself. */
function certificates(names: readonly string[]) {
  const cwd = openFolder('certificates');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'ignore' });
  openssl(...KEY, '-x509', '-days', '2', '-subj', '/CN=company', '-keyout', 'ca.key', '-out', 'ca.crt');
  const made = names.map((name) => {
    const alternative = `subjectAltName=DNS:${name}`;
    writeFileSync(join(cwd, 'names'), alternative);
    openssl(...KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', 'request');
    if (name.startsWith('own.')) {
      const itself = ['-x509', '-key', `${name}.key`, '-addext', alternative, '-subj', `/CN=${name}`];
      openssl('req', ...itself, '-out', `${name}.crt`);
    } else {
      const days = name.startsWith('over.') ? '-1' : '2';
      openssl(...SIGNED, '-in', 'request', '-days', days, '-extfile', 'names', '-out', `${name}.crt`);
    }
    const [key, cert] = ['key', 'crt'].map((kind) => readFileSync(join(cwd, `${name}.${kind}`), 'utf8'));
    return { name, key, cert };
  });
  return { ca: readFileSync(join(cwd, 'ca.crt'), 'utf8'), made };
}

function closedPort(): Promise<number> {
  const server = net.createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    }),
  );
}

describe.each(USERS)('what goes wrong at a server, as %s', (user) => {
  test('is said with the credential, the host and the reason, and nothing is sent to one that nobody vouches for', async () => {
    const seen: string[] = [];
    const { ca, made } = certificates(['over', 'own', 'half', 'long'].map((name) => `${name}.example.test`));
    const plain = http.createServer({ maxHeaderSize: 1 << 16 }, (req, res) => {
      const { host = '', authorization = '' } = req.headers;
      seen.push(host);
      if (!host.startsWith('half.')) return res.end(`${authorization.length}\n`);
      res.writeHead(200, { 'content-length': 100 });
      return res.write('half\n', () => req.socket.destroy());
    });
    const hosts = await Promise.all(
      made.map(async ({ name, key, cert }) => {
        const secure = tls.createServer({ key, cert }, (socket) => {
          socket.on('error', () => undefined);
          plain.emit('connection', socket);
        });
        return `${name}=127.0.0.1:${await listening(secure)}`;
      }),
    );
    hosts.push(`down.example.test=127.0.0.1:${await closedPort()}`);
    const scene = sceneOf(user);
    const company = join(scene.home, 'company.pem');
    writeFileSync(company, ca);
    const to = (name: string, variable: string) =>
      `curl -sS --http1.1 -H "Authorization: Bearer $${variable}" https://${name}.example.test/ 2>&1`;
    const failing = ['over', 'own', 'down', 'half'].map((name) => to(name, 'TOKEN'));
    const script = [...failing, to('long', 'LONG')].join('\n');
    const brokered = ['TOKEN@*.example.test', 'LONG@*.example.test'].flatMap((one) => ['--broker', one]);
    const named = hosts.flatMap((host) => ['--net', host]);
    const env = { TOKEN: VALUE, LONG: 'long'.repeat(2500), SSL_CERT_FILE: company };
    const { stdout, stderr } = await cordon(scene, ['run', ...brokered, ...named, '--', 'sh', '-c', script], env);
    const unverified = (name: string, why: string) =>
      `cordon: nothing was sent to ${name}.example.test:443 (with TOKEN): its certificate could not be verified: ${why}`;
    expect(stdout, stderr).toContain(unverified('over', 'certificate has expired [CERT_HAS_EXPIRED].'));
    expect(stdout).toContain(unverified('own', 'self-signed certificate [DEPTH_ZERO_SELF_SIGNED_CERT].'));
    expect(stdout).toMatch(/cordon: down\.example\.test:443 did not answer \(with TOKEN\): .*\[ECONNREFUSED\]/);
    expect(stdout).toContain('curl: (18) transfer closed with 95 bytes remaining to read');
    expect(stdout).toContain(`\n${'Bearer '.length + 10_000}\n`);
    expect(seen).toEqual(['half.example.test', 'long.example.test']);
    const log = (await cordon(scene, ['net', 'log'], { COLUMNS: '200' })).stdout.split('\n');
    for (const [name, why] of [
      ['over', 'failed .*CERT_HAS_EXPIRED, with TOKEN'],
      ['own', 'failed .*DEPTH_ZERO_SELF_SIGNED_CERT, with TOKEN'],
      ['down', 'failed .*ECONNREFUSED, with TOKEN'],
      ['half', 'failed .*ECONNRESET, with TOKEN'],
      ['long', 'allowed .*with LONG'],
    ])
      expect(log).toContainEqual(expect.stringMatching(new RegExp(`${name}\\.example\\.test:443 .*${why}$`)));
  });
});
