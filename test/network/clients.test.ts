import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { ROOT } from '../support/project.ts';
import { certificateForTests, closeAll, inside, listening, sceneOf } from './support.ts';

interface Client {
  readonly name: string;
  /** The program, to see whether it is there; below CORDON_TEST_CLIENTS where it begins with node_modules. */
  readonly program: string;
  /** A module that its Python has to have. */
  readonly module?: string;
  readonly speaks: string;
  readonly port: number;
  readonly server: (seen: (what: string) => void) => net.Server;
  /** What is run inside; the host is api.example.com. */
  readonly script: string;
  /** What the server must have seen. */
  readonly sees: RegExp;
}

const HOST = 'api.example.com';
const page = (seen: (what: string) => void) => (request: http.IncomingMessage, response: http.ServerResponse) => {
  seen(`${request.method} ${request.url} ${request.headers.host} ${request.headers['user-agent'] ?? ''}`);
  response.setHeader('Content-Type', 'text/event-stream');
  response.write('data: {}\n\n');
  setTimeout(() => response.end('data: [DONE]\n\n'), 50);
};
const web: Client['server'] = (seen) => http.createServer(page(seen));
const secure: Client['server'] = (seen) => https.createServer(certificateForTests(), page(seen));
const raw: Client['server'] = (seen) =>
  net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes) => {
      seen(bytes.toString('latin1'));
      socket.destroy();
    });
  });
const sshd: Client['server'] = (seen) => {
  const server = raw(seen);
  server.prependListener('connection', (socket: net.Socket) => socket.write('SSH-2.0-test\r\n'));
  return server;
};
const upgraded: Client['server'] = (seen) =>
  http.createServer().on('upgrade', (request, socket) => {
    seen(`upgrade ${request.headers.host}`);
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u0081\u0002hi');
  });
const h2: Client['server'] = (seen) =>
  http2.createSecureServer(certificateForTests(), (request, response) => {
    seen(`h2 ${request.authority}`);
    response.end('hi\n');
  });

const grpc: Client['server'] = (seen) =>
  http2.createServer().on('stream', (stream, headers) => {
    seen(`${headers[':path']} ${headers[':authority']} ${headers['user-agent']}`);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' }, { endStream: true });
  }) as unknown as net.Server;
/** Answers only after a while, in which nothing is said. */
const late: Client['server'] = (seen) =>
  http.createServer((request, response) => {
    setTimeout(() => response.end('late\n'), 2000);
    response.on('finish', () => seen(`answered ${request.headers['user-agent']}`));
  });

/** Where .ci/clients puts what npm has. */
const FETCHED = process.env.CORDON_TEST_CLIENTS ?? '/nonexistent';
const NODE_GET = (scheme: string) =>
  `node -e "require('${scheme}').get({host:'${HOST}',rejectUnauthorized:false},r=>r.resume())"`;
const JAVA = `cat > /tmp/Get.java <<'E'
public class Get { public static void main(String[] a) throws Exception { new java.net.URL("http://${HOST}/java").openStream().readAllBytes(); } }
E
java /tmp/Get.java`;

const CLIENTS: readonly Client[] = [
  {
    name: 'curl',
    program: 'curl',
    speaks: 'HTTPS',
    port: 443,
    server: secure,
    script: `curl -sSk https://${HOST}/`,
    sees: /curl/,
  },
  {
    name: 'wget',
    program: 'wget',
    speaks: 'HTTPS',
    port: 443,
    server: secure,
    script: `wget -qO- --no-check-certificate https://${HOST}/`,
    sees: /Wget/,
  },
  {
    name: 'git over HTTPS',
    program: 'git',
    speaks: 'HTTPS',
    port: 443,
    server: secure,
    script: `git -c http.sslVerify=false ls-remote https://${HOST}/r`,
    sees: /info\/refs.*git\//,
  },
  {
    name: 'git over SSH',
    program: 'ssh',
    speaks: 'SSH',
    port: 22,
    server: sshd,
    script: `GIT_SSH_COMMAND='ssh -o BatchMode=yes' git ls-remote ssh://git@${HOST}/r`,
    sees: /^SSH-2\.0-/,
  },
  {
    name: 'ssh',
    program: 'ssh',
    speaks: 'SSH',
    port: 22,
    server: sshd,
    script: `ssh -o BatchMode=yes git@${HOST} true`,
    sees: /^SSH-2\.0-/,
  },
  {
    name: 'npm',
    program: 'npm',
    speaks: 'HTTP',
    port: 80,
    server: web,
    script: `npm ping --registry http://${HOST}/ --fetch-retries 0`,
    sees: /npm\//,
  },
  {
    name: 'pip',
    program: 'pip3',
    speaks: 'HTTP',
    port: 80,
    server: web,
    script: `pip3 download --no-input --retries 0 -d /tmp/p -i http://${HOST}/simple --trusted-host ${HOST} thing`,
    sees: /simple\/thing.*pip\//,
  },
  {
    name: 'Node',
    program: 'node',
    speaks: 'HTTPS',
    port: 443,
    server: secure,
    script: NODE_GET('https'),
    sees: /^GET \/ api/,
  },
  {
    name: 'Python (urllib)',
    program: 'python3',
    speaks: 'HTTP',
    port: 80,
    server: web,
    script: `python3 -c "import urllib.request as u; u.urlopen('http://${HOST}/').read()"`,
    sees: /Python-urllib/,
  },
  { name: 'Java', program: 'java', speaks: 'HTTP', port: 80, server: web, script: JAVA, sees: /\/java.*Java\// },
  {
    name: 'psql',
    program: 'psql',
    speaks: 'PostgreSQL',
    port: 5432,
    server: raw,
    script: `psql "host=${HOST} user=u dbname=d sslmode=disable" -c 'select 1'`,
    sees: /user\0u\0/,
  },
  {
    name: 'WebSocket',
    program: 'curl',
    speaks: 'HTTP with Upgrade',
    port: 80,
    server: upgraded,
    script: `curl -sS -N --noproxy '*' -m 5 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: x' http://${HOST}/`,
    sees: /^upgrade/,
  },
  {
    name: 'HTTP/2',
    program: 'curl',
    speaks: 'HTTPS',
    port: 443,
    server: h2,
    script: `curl -sSk --http2 https://${HOST}/`,
    sees: /^h2 api/,
  },
  {
    name: 'server-sent events',
    program: 'curl',
    speaks: 'HTTPS',
    port: 443,
    server: secure,
    script: `curl -sSkN https://${HOST}/ | grep -q DONE && curl -sSkN https://${HOST}/done`,
    sees: /\/done/,
  },
  {
    name: 'cargo',
    program: 'cargo',
    speaks: 'HTTP',
    port: 80,
    server: web,
    script: `cargo search thing --index http://${HOST}/index`,
    sees: /\/index\/info\/refs/,
  },
  {
    name: 'go',
    program: 'go',
    speaks: 'HTTP',
    port: 80,
    server: web,
    script: `GO111MODULE=on GOFLAGS= GOPROXY=http://${HOST} GONOSUMDB='*' go list -m -versions example.org/thing`,
    sees: /\/example\.org\/thing\/@v\/list.*Go-http-client/,
  },
  {
    name: 'redis-cli',
    program: 'redis-cli',
    speaks: 'RESP',
    port: 6379,
    server: raw,
    script: `redis-cli -h ${HOST} PING`,
    sees: /PING/,
  },
  {
    name: 'Python (requests)',
    program: 'python3',
    module: 'requests',
    speaks: 'HTTPS',
    port: 443,
    server: secure,
    script: `/usr/bin/python3 -c "import requests; requests.get('https://${HOST}/', verify=False)"`,
    sees: /python-requests/,
  },
  {
    name: 'Python (httpx)',
    program: 'python3',
    module: 'httpx',
    speaks: 'HTTPS',
    port: 443,
    server: secure,
    script: `/usr/bin/python3 -c "import httpx; httpx.get('https://${HOST}/', verify=False)"`,
    sees: /python-httpx/,
  },
  {
    name: 'gRPC (Python)',
    program: 'python3',
    module: 'grpc',
    speaks: 'HTTP/2',
    port: 50_051,
    server: grpc,
    script: `/usr/bin/python3 -c "
import grpc
channel = grpc.insecure_channel('${HOST}:50051')
try: channel.unary_unary('/test.Test/Say')(b'', timeout=20)
except grpc.RpcError as error: print(error)"`,
    sees: /\/test\.Test\/Say api\.example\.com.*grpc-python/,
  },
  {
    name: 'gRPC (Node)',
    program: 'node_modules/@grpc/grpc-js/build/src/index.js',
    speaks: 'HTTP/2',
    port: 50_051,
    server: grpc,
    script: `node -e "
const grpc = require('${FETCHED}/node_modules/@grpc/grpc-js');
const as = (bytes) => bytes;
new grpc.Client('${HOST}:50051', grpc.credentials.createInsecure())
  .makeUnaryRequest('/test.Test/Say', as, as, Buffer.alloc(0), { deadline: Date.now() + 20000 }, () => process.exit(0));"`,
    sees: /\/test\.Test\/Say api\.example\.com.*grpc-node/,
  },
  {
    name: 'WebSocket (Python)',
    program: 'python3',
    module: 'websockets',
    speaks: 'HTTP with Upgrade',
    port: 80,
    server: upgraded,
    script: `/usr/bin/python3 -c "
import asyncio, websockets
async def main():
    async with websockets.connect('ws://${HOST}/'): pass
asyncio.run(main())"`,
    sees: /^upgrade/,
  },
  ...[22, 24].map((version) => ({
    name: `Node ${version} (fetch)`,
    program: `node_modules/node${version}/bin/node`,
    speaks: 'HTTP',
    port: 80,
    server: web,
    script: `${FETCHED}/node_modules/node${version}/bin/node -e "fetch('http://${HOST}/').then((got) => got.text())"`,
    sees: /^GET \/ api\.example\.com node/,
  })),
  ...[22, 24].map((version) => ({
    name: `Node ${version} (WebSocket)`,
    program: `node_modules/node${version}/bin/node`,
    speaks: 'HTTP with Upgrade',
    port: 80,
    server: upgraded,
    script: `${FETCHED}/node_modules/node${version}/bin/node -e "new WebSocket('ws://${HOST}/').onerror = () => process.exit(0)"`,
    sees: /^upgrade/,
  })),
  {
    name: 'pnpm',
    program: 'node_modules/pnpm/bin/pnpm.cjs',
    speaks: 'HTTP',
    port: 80,
    server: web,
    script: `mkdir -p /tmp/p && cd /tmp/p && echo '{}' > package.json && node ${FETCHED}/node_modules/pnpm/bin/pnpm.cjs add thing --registry http://${HOST}/ --fetch-retries 0`,
    sees: /\/thing.*pnpm\//,
  },
  {
    name: 'long poll',
    program: 'curl',
    speaks: 'HTTP',
    port: 80,
    server: late,
    script: `curl -sS -m 30 http://${HOST}/`,
    sees: /^answered curl/,
  },
];

const there = ({ program, module }: Client) => {
  if (program.startsWith('node_modules/')) return existsSync(join(FETCHED, program));
  const isInstalled = ['/usr/local/bin', '/usr/bin', '/bin'].some((folder) => existsSync(join(folder, program)));
  return (
    isInstalled && (module === undefined || spawnSync('/usr/bin/python3', ['-c', `import ${module}`]).status === 0)
  );
};
const worked: string[] = [];

afterEach(closeAll);

it.each(CLIENTS.filter(there))('$name reaches a host by its name', async (client) => {
  const seen: string[] = [];
  const port = await listening(client.server((what) => seen.push(what)));
  const ran = await inside(sceneOf('cordon-test'), [`${HOST}:${client.port}=127.0.0.1:${port}`], client.script);
  expect(seen.join('\n'), ran.stderr).toMatch(client.sees);
  worked.push(`| ${client.name} | ${client.speaks} |`);
});

// With CORDON_WRITE_TABLES=1 the table of the page is what worked here.
afterAll(() => {
  const file = join(ROOT, 'docs/network.md');
  const text = readFileSync(file, 'utf8');
  const table = ['| client | protocol |', '|---|---|', ...worked].join('\n');
  if (process.env.CORDON_WRITE_TABLES === '1')
    writeFileSync(file, text.replace(/(<!-- clients -->\n)[\s\S]*?(\n<!-- end -->)/, `$1${table}$2`));
  else for (const row of worked) expect(text).toContain(row);
});
