import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { USERS } from '../support/users.ts';
import { closeAll, cordon, echo, inside, listening, processOutside, recordsOf, sceneOf, tlsEcho } from './support.ts';

afterEach(closeAll);

const PLAIN = 'env -u HTTP_PROXY -u http_proxy -u ALL_PROXY -u all_proxy -u HTTPS_PROXY -u https_proxy';
const CURL = 'curl -sS -m 20';

describe.each(USERS)('the network by name, as %s', (user) => {
  it('reaches what is named by its name, with proxy variables and without, and nothing else', async () => {
    const scene = sceneOf(user);
    const port = await listening(echo());
    const ran = await inside(
      scene,
      [`api.example.com:80=127.0.0.1:${port}`],
      [
        `${CURL} http://api.example.com/proxied`,
        `${PLAIN} ${CURL} http://api.example.com/plain`,
        `${CURL} --socks5-hostname 127.0.0.1:17080 http://api.example.com/socks`,
        `${PLAIN} ${CURL} http://evil.test/ || echo "evil $?"`,
        `${CURL} http://evil.test/`,
        `${PLAIN} ${CURL} http://127.0.0.1:${port}/ || echo "loopback $?"`,
        `${PLAIN} ${CURL} -m 5 http://192.0.2.1/ || echo "address $?"`,
        'ls /sys/class/net; false',
      ].join('\n'),
    );
    expect(ran.stdout.split('\n').slice(0, 3)).toEqual([
      'api.example.com /proxied',
      'api.example.com /plain',
      'api.example.com /socks',
    ]);
    expect(ran.stdout).toContain('evil 6\n');
    expect(ran.stdout).toContain('cordon: evil.test:80 is not let through: no rule names it\n');
    expect(ran.stdout).toContain('loopback 7\n');
    expect(ran.stdout).toContain('address 7\n');
    // Whoever reads a pipe finds it in the log.
    expect(ran.stderr).not.toContain('not let through');
    // A connection is written down when it is over, which may be after the next one has begun.
    const told = recordsOf(scene).map(({ name, port, via, verdict }) => [name, port, via, verdict].join(' '));
    expect(told.toSorted()).toEqual([
      'api.example.com 80 name allowed',
      'api.example.com 80 proxy allowed',
      'api.example.com 80 socks allowed',
      'evil.test  dns refused',
      'evil.test 80 proxy refused',
    ]);
  });

  it('TLS must name the host that was dialled', async () => {
    const scene = sceneOf(user);
    const port = await listening(tlsEcho());
    const dial = (host: string, servername: string) =>
      `node -e "const s=require('tls').connect({host:'${host}',port:443,servername:'${servername}',rejectUnauthorized:false},()=>s.end('hi ${servername}'));s.on('data',d=>console.log(String(d)));s.on('error',e=>console.log('${servername}',e.code))"`;
    const ran = await inside(
      scene,
      [`api.example.com=127.0.0.1:${port}`],
      [
        dial('api.example.com', 'api.example.com'),
        dial('api.example.com', 'evil.test'),
        dial('api.example.com', ''),
      ].join('\n'),
    );
    expect(ran.stdout).toBe('hi api.example.com\nevil.test ECONNRESET\n ECONNRESET\n');
    expect(recordsOf(scene).map(({ verdict, why }) => [verdict, why])).toEqual([
      ['allowed', undefined],
      ['refused', "the ClientHello names 'evil.test', which is not the host that was dialled"],
      ['refused', 'the ClientHello names no server'],
    ]);
  });

  it('a port of this machine is opened by @host:PORT, and only that one', async () => {
    const scene = sceneOf(user);
    const [open, closed] = [await listening(echo()), await listening(echo())];
    const script = `${CURL} http://localhost:${open}/a; ${CURL} http://127.0.0.1:${closed}/ || echo closed`;
    expect((await inside(scene, [`@host:${open}`], script)).stdout).toBe(`localhost:${open} /a\nclosed\n`);
  });

  it('a name that leads to a private address is refused unless that is named too', async () => {
    const scene = sceneOf(user);
    // What this machine calls itself leads to an address of its own.
    const script = 'curl -sS -m 20 -o /dev/null -w "%{http_code}\\n" http://localhost.localdomain/';
    const ran = await inside(scene, ['localhost.localdomain'], script);
    expect(ran.stdout.trim()).toMatch(/^(403|502)$/);
    expect(recordsOf(scene).every(({ verdict }) => verdict !== 'allowed')).toBe(true);
  });

  it('addresses and networks can be named, and the command starts', async () => {
    const hosts = ['192.0.2.7', '198.51.100.0/24', '2001:db8::/32', 'a.example.com=192.0.2.9'];
    const { stdout, stderr } = await inside(sceneOf(user), hosts, 'getent hosts a.example.com');
    expect([stdout, stderr]).toEqual(['127.128.0.1     a.example.com\n', '']);
  });

  it('servers of the command itself work on all other ports', async () => {
    const script = `node -e "
      const http=require('http');
      const s=http.createServer((q,r)=>r.end('own\\n')).listen(8123,()=>http.get('http://localhost:8123/',r=>{r.pipe(process.stdout);r.on('end',()=>s.close())}))"`;
    expect((await inside(sceneOf(user), ['api.example.com'], script)).stdout).toBe('own\n');
  });

  it('killed, it is not started again: connections end, the command goes on, one line says so', async () => {
    const scene = sceneOf(user);
    const port = await listening(
      net.createServer((socket) => socket.on('error', () => socket.destroy()).write('hello\n')),
    );
    const script = `exec 5<>/dev/tcp/api.example.com/80; read line <&5; echo "$line"; echo ready > ready; read more <&5; echo "ended $?"; (exec 6<>/dev/tcp/api.example.com/80; read line <&6) 2>/dev/null || echo refused; echo on`;
    const running = cordon(scene, [
      'run',
      '--fs',
      'all',
      '--net',
      `api.example.com:80=127.0.0.1:${port}`,
      '--',
      'bash',
      '-c',
      script,
    ]);
    const { existsSync } = await import('node:fs');
    while (!existsSync(`${scene.home}/ready`)) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(processOutside(scene.home), 'SIGKILL');
    const ran = await running;
    expect(ran.stdout).toBe('hello\nended 1\nrefused\non\n');
    expect(ran.stderr.match(/the process that lets connections through is gone/g)).toHaveLength(1);
  });

  it('a bad list is refused before anything starts', async () => {
    const scene = sceneOf(user);
    for (const [host, why] of [
      ['0x7f000001', 'another spelling'],
      ['127.0.0.1', 'own loopback'],
      ['example.com:53', "the sandbox's own"],
      ['own', 'hosts of an agent'],
      [Array.from({ length: 65 }, (_, i) => `10.0.0.${i}`), 'more than 64 addresses'],
    ] as const) {
      const { code, stderr, stdout } = await inside(scene, [host].flat(), 'echo ran');
      expect([code === 0, stdout]).toEqual([false, '']);
      expect(stderr).toContain(why);
    }
  });

  it('what concerns one connection only is not passed on by the proxy, and a body stays one', async () => {
    const seen: string[] = [];
    const server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push(`${request.method} ${body} ${Object.keys(request.headers).toSorted().join(' ')}`);
        response.writeHead(200, { 'X-Back': '1', 'Proxy-Authenticate': 'Basic', Connection: 'X-Back' }).end('ok');
      });
    });
    const hop = ['Connection: X-Hop', 'X-Hop: 1', 'TE: trailers', 'Proxy-Authorization: Basic eA==', 'Expect:'];
    const headers = hop.map((header) => `-H '${header}'`).join(' ');
    const script = `curl -sSi -x http://127.0.0.1:17080 -X GET ${headers} -H 'Transfer-Encoding: chunked' -d 'GET / HTTP/1.1' http://api.example.com/`;
    const ran = await inside(sceneOf(user), [`api.example.com:80=127.0.0.1:${await listening(server)}`], script);
    expect(ran.stdout, ran.stderr).toMatch(/ok$/);
    expect(ran.stdout).not.toMatch(/x-back|proxy-authenticate/i);
    expect(seen).toEqual(['GET GET / HTTP/1.1 accept connection content-type host transfer-encoding user-agent']);
  });

  it('a length that is said to be of one connection only lets no request through inside of another', async () => {
    let seen = '';
    const server = net.createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('data', (bytes) => {
        seen += bytes.toString('latin1');
        if (seen.includes('other.example.com')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    const inner = 'GET /inner HTTP/1.1\\r\\nHost: other.example.com\\r\\n\\r\\n';
    const script = `python3 -c "
import socket
s = socket.create_connection(('127.0.0.1', 17080)); inner = b'${inner}'
s.sendall(b'GET http://api.example.com/ HTTP/1.1\\r\\nHost: api.example.com\\r\\nConnection: close, content-length, transfer-encoding\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(inner) + inner)
while s.recv(4096): pass
"`;
    await inside(sceneOf(user), [`api.example.com:80=127.0.0.1:${await listening(server)}`], script);
    // The server is told that what follows is a body.
    expect(seen).toMatch(/^GET \/ HTTP\/1\.1\r\n(?:.+\r\n)*content-length: 48\r\n(?:.+\r\n)*\r\nGET \/inner/i);
  });

  it('an upstream proxy of the user is used, and its password is never inside', async () => {
    const scene = sceneOf(user);
    const password = ['pass', 'of', 'mine'].join('-');
    const seen: string[] = [];
    const proxy = net.createServer((socket) => {
      socket.once('data', (head) => {
        seen.push(head.toString('latin1'));
        socket.end('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n');
      });
    });
    const upstream = `http://me:${password}@127.0.0.1:${await listening(proxy)}`;
    const ran = await inside(scene, ['api.example.com'], `${PLAIN} ${CURL} http://api.example.com/; env`, {
      HTTPS_PROXY: upstream,
    });
    expect(ran.stdout).toContain('hi\n');
    expect(ran.stdout + ran.stderr).not.toContain(password);
    expect(seen[0]).toMatch(/^CONNECT api\.example\.com:80 HTTP\/1\.1\r\n/);
    expect(seen[0]).toContain(`Basic ${Buffer.from(`me:${password}`).toString('base64')}`);
  });
});

/** Asks the proxy inside for what only looks like a name, by CONNECT and by SOCKS, and says what it answers. */
const DISGUISED = `python3 - <<'END'
import socket
for target in ('[2001:db8:1::2%a.example.com]:80', '[::ffff:192.0.2.2%a.example.com]:80', 'evil.test/.example.com:80'):
    s = socket.create_connection(('127.0.0.1', 17080))
    s.sendall(('CONNECT %s HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' % target).encode())
    print(s.recv(200).split(b' ')[1].decode())
for name in (b'2001:db8:1::2%a.example.com', b'evil.test:80 HTTP/1.1\\r\\nX: a.example.com'):
    s = socket.create_connection(('127.0.0.1', 17080))
    s.sendall(bytes([5, 1, 0]))
    s.recv(2)
    s.sendall(bytes([5, 1, 0, 3, len(name)]) + name + bytes([0, 80]))
    print('socks', s.recv(10)[1])
END`;

describe.each(USERS)('what only looks like a name below an allowed one, as %s', (user) => {
  it('is refused, and nothing is dialled', async () => {
    const { stdout, stderr } = await inside(sceneOf(user), ['*.example.com'], DISGUISED);
    expect(stdout.trim().split('\n'), stderr).toEqual(['403', '403', '403', 'socks 2', 'socks 2']);
  });
});
