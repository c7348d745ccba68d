import { once } from 'node:events';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { Gate } from '../../src/network/gate.ts';
import { proxyServer } from '../../src/network/proxy.ts';
import { passOn } from '../../src/network/relay.ts';
import { policyOf, type Task, USUAL_LIMITS } from '../../src/network/task.ts';
import { closeAll, echo, inside, listening, recordsOf, sceneOf } from './support.ts';

afterEach(closeAll);

const MS = 150;
/** For what has to be said in time before it is not. */
const LONGER_MS = 2000;

/** The proxy of a sandbox whose list leads to this port, which waits that long for a beginning to end. */
async function proxyTo(port: number, handshakeMs = MS): Promise<net.Socket> {
  const allow = [{ text: `api.example.com:80=127.0.0.1:${port}`, origin: 'test' }];
  const task: Task = { mode: 'names', allow, deny: [], ports: [80], subject: '', policy: '' };
  const limits = { ...USUAL_LIMITS, handshakeMs };
  const gate = new Gate({
    ...{ task, limits, launch: '1-1', policy: policyOf(task), interceptors: [] },
    ask: () => Promise.resolve(false),
    refused: () => undefined,
  });
  const client = net.connect(await listening(proxyServer(gate, limits)), '127.0.0.1');
  client.on('error', () => undefined);
  return client;
}

/** By an error too, which is what comes of a byte that was on its way: `once` would reject with it. */
const cutOff = (client: net.Socket) => new Promise((resolve) => client.resume().once('close', resolve));

const GET = 'GET http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n\r\n';

describe('what is begun and has no end is cut off, however slowly it goes', () => {
  it.each([
    ['nothing at all', ''],
    ['a head', 'GET http://api.example.com/ HTTP/1.1\r\n'],
    ['CONNECT', 'CONNECT api.example.com:80 HTTP/1.1\r\nX: '],
    ['a greeting of SOCKS', '\x05'],
    ['a request of SOCKS', '\x05\x01\x00\x05\x01\x00\x03'],
  ])('%s', async (_what, said) => {
    const client = await proxyTo(await listening(echo()));
    // One byte more each time: what only looks at silence would wait for ever.
    const more = setInterval(() => client.write(said === '' ? '' : 'x'), MS / 5);
    client.write(said, 'latin1');
    await cutOff(client);
    clearInterval(more);
  });

  it('a second head on a connection that was kept', async () => {
    const client = await proxyTo(await listening(echo()), LONGER_MS);
    client.write(GET);
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toContain('200 OK');
    const more = setInterval(() => client.write('x'), MS / 5);
    await cutOff(client);
    clearInterval(more);
  });

  it.each([
    ['a hello', Buffer.from([22, 3, 1, 2, 0, 1]), 443],
    ['a request', Buffer.from('GET / HTTP/1.1\r\nHost: '), 80],
    ['a second request', Buffer.from('GET / HTTP/1.1\r\nHost: a.test\r\n\r\nGET / HT'), 80],
    ['a word', Buffer.from('HE'), 25],
  ])('%s to a host that was dialled', async (_what, said, port) => {
    const [client, server] = [new PassThrough(), new PassThrough()];
    server.resume();
    const failed = new Promise<Error>((resolve) => {
      passOn(client, server, { name: 'a.test', port, headBytes: 4096, beginMs: MS }, resolve);
    });
    client.write(said);
    expect((await failed).message).toBe('what it began to say had no end');
  });
});

it('a kept connection that the server ended is ended inside too, and the next request has a new one', async () => {
  const scene = sceneOf('cordon-test');
  let accepted = 0;
  // Says that it will keep the connection, and does not.
  const server = net.createServer((socket) => {
    accepted++;
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nhi\n'));
  });
  const script = `python3 -c "
import http.client
for _ in range(2):
    c = http.client.HTTPConnection('api.example.com', timeout=60)
    c.request('GET', '/')
    print(c.getresponse().read(), c.sock.recv(1))"`;
  const ran = await inside(scene, [`api.example.com:80=127.0.0.1:${await listening(server)}`], script);
  expect([ran.stdout, accepted]).toEqual(["b'hi\\n' b''\n".repeat(2), 2]);
  expect(recordsOf(scene).map(({ verdict }) => verdict)).toEqual(['allowed', 'allowed']);
});

it('names that are written out are found without a question, others by one, and also by who asks for IPv4 only', async () => {
  const scene = sceneOf('cordon-test');
  const script = ['files ahosts a.example.com', 'files ahosts b.example.org', 'dns ahosts b.example.org'];
  const asked = script.map((words) => `getent -s ${words} | cut -d ' ' -f 1 | uniq`);
  const { stdout } = await inside(
    scene,
    ['a.example.com', '*.example.org'],
    [...asked, 'getent ahostsv4 a.example.com | wc -l'].join('\n'),
  );
  expect(stdout).toBe('127.128.0.1\n127.128.0.2\n3\n');
});
