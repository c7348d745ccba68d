// What the hundred commands talk to, all of it on loopback: a registry for npm and pip, git over http and https, and what gh asks for.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const LOG_IN = `Basic ${Buffer.from(['dev', 'let-me-push'].join(':')).toString('base64')}`;

const send = (response, status, body, type = 'application/json') => {
  response.writeHead(status, { 'content-type': type });
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
};

/** Every package has one version; `packages.json` has its manifest and checksums. */
function npm(path, response) {
  const name = decodeURIComponent(path);
  if (name.includes('/-/'))
    return send(response, 200, readFileSync(join(folder, 'npm', name.split('/-/')[1])), 'application/gzip');
  const found = JSON.parse(readFileSync(join(folder, 'npm/packages.json'), 'utf8'))[name];
  if (found === undefined) return send(response, 404, { error: 'not found' });
  return send(response, 200, found);
}

function pip(path, response) {
  if (path.endsWith('.whl')) return send(response, 200, readFileSync(join(folder, 'pip', path)), 'application/zip');
  const wheels = readdirSync(join(folder, 'pip')).filter((name) => name.startsWith(path.replace('/', '')));
  return send(response, 200, wheels.map((name) => `<a href="/simple/${name}">${name}</a>`).join('\n'), 'text/html');
}

/** Everyone may read; whoever writes has to log in. */
function git(request, response, url) {
  const writes = url.pathname.includes('git-receive-pack') || url.searchParams.get('service') === 'git-receive-pack';
  if (writes && request.headers.authorization !== LOG_IN) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' });
    return response.end();
  }
  const backend = spawn('/usr/lib/git-core/git-http-backend', [], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'dev',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  request.pipe(backend.stdin);
  const parts = [];
  backend.stdout.on('data', (part) => parts.push(part));
  return backend.on('close', () => {
    const all = Buffer.concat(parts);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(all.subarray(end + 4));
  });
}

function gh(request, response) {
  if (request.headers.authorization === undefined) return send(response, 401, { message: 'Requires authentication' });
  return send(response, 200, { login: 'dev' });
}

function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const path = url.pathname;
  if (request.headers.host?.startsWith('api.github.localhost')) return gh(request, response);
  if (path === '/hello') return send(response, 200, 'hello from loopback\n', 'text/plain');
  if (path.startsWith('/git/')) return git(request, response, url);
  if (path.startsWith('/simple/')) return pip(path.slice('/simple/'.length), response);
  if (path.startsWith('/npm/')) return npm(path.slice('/npm/'.length), response);
  return send(response, 404, { error: 'not found' });
}

const tls = { key: readFileSync(join(folder, 'tls/key.pem')), cert: readFileSync(join(folder, 'tls/cert.pem')) };
let waiting = 3;
const ready = () => {
  waiting -= 1;
  if (waiting === 0) process.stdout.write('ready\n');
};
createServer(answer).listen(8080, '127.0.0.1', ready);
createServer(answer).listen(80, '127.0.0.1', ready);
createTlsServer(tls, answer).listen(8443, '127.0.0.1', ready);
