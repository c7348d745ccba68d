import { chownSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { identityOf } from '../support/users.ts';
import { closeAll, cordon, listening, sceneOf } from './support.ts';

afterEach(closeAll);

async function ranWith(limits: object, script: string): Promise<string> {
  const scene = sceneOf('cordon-test');
  const server = net.createServer((socket) => socket.on('error', () => socket.destroy()).write('hi'));
  const allow = [`a.example.com:7777=127.0.0.1:${await listening(server)}`];
  const profile = join(scene.home, 'p.json');
  writeFileSync(profile, JSON.stringify({ network: { allow, ...limits } }));
  const { uid, gid } = identityOf(scene.user);
  chownSync(profile, uid, gid);
  const { stdout } = await cordon(scene, ['run', '--profile', './p.json', '--', 'python3', '-c', script]);
  return stdout;
}

const OPEN = `
import socket
def open():
    s = socket.create_connection(('a.example.com', 7777), timeout=60)
    try: return s, s.recv(2)
    except ConnectionError: return s, b''
`;

it('no more connections are open at once than the profile says', async () => {
  const script = `${OPEN}
all = [open() for _ in range(5)]
print([said for _, said in all])`;
  expect(await ranWith({ connections: 2 }, script)).toBe("[b'hi', b'hi', b'', b'', b'']\n");
  expect(await ranWith({}, script)).toBe("[b'hi', b'hi', b'hi', b'hi', b'hi']\n");
});

it('a connection is silent no longer than the profile says', async () => {
  const script = `${OPEN}
s, said = open()
print(said, s.recv(1))`;
  expect(await ranWith({ silence_seconds: 2 }, script)).toBe("b'hi' b''\n");
});
