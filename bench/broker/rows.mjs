// What a broker costs between a client and a server over TLS, each a process of its own, asked in turn.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import '../../scripts/ts.mjs';
import { writeBody } from './bodies.mjs';

const { Issuer, newAuthority } = await import('../../src/broker/authority.ts');
const { OUTSIDE_FLAGS } = await import('../../src/launch/outside.ts');

const NAME = 'api.example.test';
const HOST = { name: NAME, below: false, port: 443 };
/** Shaped like a vendor's, put together so that nobody takes it for a key of someone. */
const PLACEHOLDER = ['ghp', 'PlAcEhOlDeR0123456789abcdefghijklmno'].join('_');
const VALUE = ['ghp', 'Rq7xK2mW9vT4nZ8cL5jH1bY6dF3sA0gP2eU4'].join('_');

const PART = fileURLToPath(new URL('part.mjs', import.meta.url));

export async function part(kind, settings, file = PART, options = {}) {
  const child = fork(file, [kind], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ...options });
  child.send(settings);
  const [{ port }] = await once(child, 'message');
  return { port, memory: () => megabytesOf(child.pid), end: () => child.disconnect() };
}

/** As it is shipped: one script, with its flags and no environment. What loads TypeScript would take memory of its own. */
async function brokerPart(settings) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-broker-'));
  const outfile = join(folder, 'part.cjs');
  const script = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', minify: true };
  try {
    await build({ ...script, entryPoints: [PART], outfile, logLevel: 'warning' });
    return await part('broker', settings, outfile, { execArgv: [...OUTSIDE_FLAGS], env: {} });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All that it has in memory, and what of it is its own: the rest is Node's program, which all that run it share. */
function megabytesOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const [all, own] = ['VmRSS', 'RssAnon'].map(
    (name) => new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] / 1024,
  );
  return { all, own };
}

async function scene() {
  const [ofServer, ofLaunch] = [newAuthority([HOST]), newAuthority([HOST])];
  const server = await part('server', { leaf: new Issuer(ofServer).leafFor(NAME) });
  const rule = { hosts: [HOST], places: [{ kind: 'authorization' }], methods: [], paths: [] };
  const held = [{ name: 'KEY', placeholder: PLACEHOLDER, value: VALUE, rule }];
  const settings = { held, authority: ofLaunch, trust: [ofServer.certificate], mints: [] };
  const broker = await brokerPart({ settings, dialled: HOST, port: server.port });
  const way = (port, ca) => ({ port, ca, agent: agentTo(port, ca) });
  return {
    direct: way(server.port, ofServer.certificate),
    brokered: way(broker.port, ofLaunch.certificate),
    memory: broker.memory,
    end: () => [server, broker].map((one) => one.end()),
  };
}

function agentTo(port, ca) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1000, maxFreeSockets: 1000 });
  agent.createConnection = () =>
    tls.connect({ port, host: '127.0.0.1', servername: NAME, ca, ALPNProtocols: ['http/1.1'] });
  return agent;
}

/** When the first byte of the body was there, and the last. */
function ask({ agent }, path = '/', sent = 0) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let first;
    const headers = { host: NAME, authorization: `Bearer ${PLACEHOLDER}` };
    if (sent > 0) headers['content-length'] = sent;
    const request = http.request({ agent, path, headers, method: sent > 0 ? 'POST' : 'GET' }, (response) => {
      response.on('data', () => {
        first ??= performance.now() - start;
      });
      response.once('end', () => resolve({ status: response.statusCode, first, last: performance.now() - start }));
    });
    request.once('error', reject);
    writeBody(request, sent);
  });
}

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function inTurn(rounds, ways, path, what, sent) {
  const taken = ways.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, way] of ways.entries()) taken[at].push((await ask(way, path, sent))[what]);
  return taken.map(median);
}

export async function rows({ smoke }) {
  const { direct, brokered, memory, end } = await scene();
  const ways = [direct, brokered];
  await inTurn(smoke ? 5 : 300, ways, '/', 'last');
  const [plain, through] = await inTurn(smoke ? 10 : 3000, ways, '/', 'last');
  const [first, firstThrough] = await inTurn(smoke ? 5 : 300, ways, '/events', 'first');
  const megabytes = smoke ? 64 : 1024;
  const [whole, wholeThrough] = await inTurn(smoke ? 1 : 3, ways, `/?megabytes=${megabytes}`, 'last');
  const [sent, sentThrough] = await inTurn(smoke ? 1 : 3, ways, '/', 'last', megabytes << 20);
  const many = await Promise.all(Array.from({ length: smoke ? 50 : 500 }, () => ask(brokered)));
  const { all, own } = memory();
  end();
  direct.agent.destroy();
  brokered.agent.destroy();
  return [
    { name: 'broker: a request, beyond that without it', value: through - plain, unit: 'ms', goal: '<= 0.6' },
    {
      name: 'broker: the first event of a stream, beyond that without it',
      value: firstThrough - first,
      unit: 'ms',
      goal: '<= 1.5',
    },
    {
      name: `broker: ${megabytes} MB, of the speed of TLS without it`,
      value: whole / wholeThrough,
      unit: '×',
      goal: '>= 0.5',
    },
    {
      name: `broker: ${megabytes} MB sent, of the speed of TLS without it`,
      value: sent / sentThrough,
      unit: '×',
      goal: '>= 0.5',
    },
    {
      name: 'broker: of 500 connections at once, answered',
      value: many.filter(({ status }) => status === 200).length / many.length,
      unit: '×',
      goal: '>= 1',
    },
    { name: 'broker: its memory with them', value: all, unit: 'MB', goal: '<= 80' },
    { name: "broker: its memory with them, without Node's own program", value: own, unit: 'MB' },
  ];
}
