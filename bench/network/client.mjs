// Asks a server over TLS, as often as it is told to on stdin: `PATH kept` or `PATH new` for the connection. Says what it took.
// With `proxy` for a host it goes by the proxy that the environment names; with KEY in the environment it sends that.
import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import tls from 'node:tls';

const [host, port, name] = process.argv.slice(-3);

const { HTTPS_PROXY, https_proxy: proxy = HTTPS_PROXY, KEY } = process.env;
const headers = { host: name, ...(KEY === undefined ? {} : { authorization: `Bearer ${KEY}` }) };

/** As clients do it: CONNECT, and TLS inside. */
function byProxy(done) {
  const { hostname, port: at, username, password } = new URL(proxy);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const auth = username === '' ? {} : { 'proxy-authorization': `Basic ${login}` };
  const request = http.request({ host: hostname, port: at, method: 'CONNECT', path: `${name}:${port}`, headers: auth });
  request.once('error', done).once('connect', (_response, socket) => {
    socket.setNoDelay(true);
    done(null, tls.connect({ socket, servername: name, rejectUnauthorized: false }));
  });
  request.end();
}

const agentThat = (keepAlive) =>
  Object.assign(new http.Agent({ keepAlive }), {
    createConnection: (_options, done) =>
      host === 'proxy' ? byProxy(done) : tls.connect({ host, port, servername: name, rejectUnauthorized: false }),
  });
const agents = { kept: agentThat(true), new: agentThat(false) };

const ask = (path, agent) =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    let first;
    const request = http.get({ agent, path, headers }, (response) => {
      response.on('data', () => {
        first ??= performance.now() - start;
      });
      const { statusCode: status } = response;
      response.once('end', () => resolve({ status, first, last: performance.now() - start }));
    });
    request.once('error', reject);
  });

for await (const line of createInterface({ input: process.stdin })) {
  const [path, connection] = line.split(' ');
  console.log(JSON.stringify(await ask(path, agents[connection])));
}
agents.kept.destroy();
