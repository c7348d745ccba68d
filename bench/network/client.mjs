// Asks a server over TLS, as often as it is told to on stdin: `PATH kept` or `PATH new` for the connection. Says what it took.
import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import tls from 'node:tls';

const [host, port, name] = process.argv.slice(-3);

const agentThat = (keepAlive) =>
  Object.assign(new http.Agent({ keepAlive }), {
    createConnection: () => tls.connect({ host, port, servername: name, rejectUnauthorized: false }),
  });
const agents = { kept: agentThat(true), new: agentThat(false) };

const ask = (path, agent) =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    let first;
    const request = http.get({ agent, path, headers: { host: name } }, (response) => {
      response.on('data', () => {
        first ??= performance.now() - start;
      });
      response.once('end', () => resolve({ first, last: performance.now() - start }));
    });
    request.once('error', reject);
  });

for await (const line of createInterface({ input: process.stdin })) {
  const [path, connection] = line.split(' ');
  console.log(JSON.stringify(await ask(path, agents[connection])));
}
agents.kept.destroy();
