import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import { cordon, type Scene, sceneOf } from '../network/support.ts';
import { USERS } from '../support/users.ts';
import { type Handler, hostOf, listening, VALUE } from './support.ts';

const NAMES = ['api.github.com', 'auth.docker.io', 'registry-1.docker.io'];
/** Stands in for the vendors'. */
const VENDORS = newAuthority(NAMES.map(hostOf));
const issuer = new Issuer(VENDORS);

function standIn(name: string, handler: Handler): Promise<number> {
  const server = http.createServer(handler);
  return listening(tls.createServer(issuer.leafFor(name), (socket) => server.emit('connection', socket)));
}

function inside(scene: Scene, words: readonly string[], ports: Readonly<Record<string, number>>, script: string) {
  const ca = join(scene.home, 'vendors.pem');
  writeFileSync(ca, VENDORS.certificate);
  const net = Object.entries(ports).flatMap(([name, port]) => ['--net', `${name}=127.0.0.1:${port}`]);
  const env = { GITHUB_TOKEN: VALUE, DOCKER_TOKEN: VALUE, NODE_EXTRA_CA_CERTS: ca };
  return cordon(scene, ['run', ...words, ...net, '--', 'sh', '-c', script], env);
}

/** Put together, so that nobody takes it for a key of someone. */
const NEW = ['ghs', 'Zx9Kq2Lm7Rt4Vb8Nc3Pd6Hf1Js5Wg0Ye2Ua4'].join('_');

describe.each(USERS)('a service that Cordon knows, as %s', (user) => {
  test('hands the command no token of its own, at whatever address', async () => {
    const port = await standIn('api.github.com', (req, res) => {
      const token = req.headers.authorization === `Bearer ${VALUE}` ? NEW : 'none';
      res.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ token, expires_in: 3600 }));
    });
    const ask = 'curl -sS -X POST -H "Authorization: Bearer $GITHUB_TOKEN" https://api.github.com/of/tomorrow';
    const { stdout, stderr } = await inside(sceneOf(user), ['--broker', '@github'], { 'api.github.com': port }, ask);
    expect(stdout, stderr).toBe(`{"token":"${'*'.repeat(NEW.length)}","expires_in":3600}`);
  });

  test('takes what stands for a token that was handed out where that is good for', async () => {
    const seen: (string | undefined)[] = [];
    const ports = {
      'auth.docker.io': await standIn('auth.docker.io', (_req, res) => res.end(JSON.stringify({ token: NEW }))),
      'registry-1.docker.io': await standIn('registry-1.docker.io', (req, res) => {
        seen.push(req.headers.authorization);
        res.end('pulled');
      }),
    };
    const script = `token="$(curl -sS -u "me:$DOCKER_TOKEN" https://auth.docker.io/token | sed 's/.*:"//; s/".*//')"
echo "$token"; curl -sS -H "Authorization: Bearer $token" https://registry-1.docker.io/v2/`;
    const { stdout, stderr } = await inside(sceneOf(user), ['--broker', '@docker'], ports, script);
    expect(stdout, stderr).toMatch(/^ghs_\w{36}\npulled$/);
    expect(stdout).not.toContain(NEW);
    expect(seen).toEqual([`Bearer ${NEW}`]);
  });
});
