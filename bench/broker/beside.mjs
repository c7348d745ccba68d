// The same client asks a server over TLS with a credential that it does not hold: with nothing around it, and under all that can do that, in turn.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import '../../scripts/ts.mjs';
import { EVERYDAY, HOME } from '../home.mjs';
import { find } from '../peers/prefix.mjs';
import { median, part } from './rows.mjs';

const { Issuer, newAuthority } = await import('../../src/broker/authority.ts');

const NAME = 'api.example.test';
const VALUE = 'v'.repeat(40);
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const WORK = join(HOME, 'beside');

/** The words before the client, and where it finds the server. */
function waysTo(port) {
  const peer = (id) => [process.execPath, pathOf('../peers/named.mjs'), id, 'default'];
  const cordon = [pathOf('../../dist/bin/cordon'), 'run', '--broker', `KEY@${NAME}`];
  return [
    { title: 'direct', before: [], at: ['127.0.0.1', port] },
    { title: 'cordon run --broker', before: [...cordon, '--net', `${NAME}=127.0.0.1:${port}`, '--'], at: [NAME, 443] },
    ...['srt', 'varlock'].map((id) => ({ title: id, before: peer(id), at: ['proxy', 443], program: id })),
  ];
}

function client({ before, at }, env) {
  const client = join(WORK, 'client.mjs');
  const [program, ...args] = [...before, process.execPath, client, ...at.map(String), NAME];
  const child = spawn(program, args, { cwd: WORK, env: { ...EVERYDAY, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (path) => {
      child.stdin.write(`${path} kept\n`);
      const { value, done } = await lines.next();
      const answer = done ? undefined : JSON.parse(value);
      if (answer?.status !== 200) throw new Error(`answered ${answer?.status ?? 'nothing'}`);
      return answer;
    },
    end: () => child.stdin.end(),
  };
}

/** What of it works here, and why the rest doesn't. */
async function started(ways, env) {
  const clients = [];
  for (const way of ways) {
    if (way.program !== undefined && find(way.program) === undefined) {
      clients.push({ ...way, note: 'not installed' });
      continue;
    }
    const one = client(way, env);
    try {
      await one.ask('/');
      clients.push({ ...way, ...one });
    } catch (error) {
      one.end();
      clients.push({ ...way, note: `does not work here: ${error.message}` });
    }
  }
  return clients;
}

async function inTurn(rounds, clients, path, what) {
  const taken = clients.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, one] of clients.entries()) taken[at].push((await one.ask(path))[what]);
  return taken.map(median);
}

async function measured({ smoke }, clients) {
  await inTurn(smoke ? 5 : 300, clients, '/', 'last');
  const requests = await inTurn(smoke ? 10 : 2000, clients, '/', 'last');
  const events = await inTurn(smoke ? 5 : 200, clients, '/events', 'first');
  const bodies = await inTurn(smoke ? 1 : 5, clients, `/?megabytes=${megabytesOf(smoke)}`, 'last');
  return clients.map((_, at) => ({
    request: requests[at] - requests[0],
    event: events[at] - events[0],
    body: bodies[0] / bodies[at],
  }));
}

const megabytesOf = (smoke) => (smoke ? 16 : 256);

export async function rows({ smoke }) {
  const authority = newAuthority([{ name: NAME, below: false, port: 443 }]);
  const server = await part('server', { leaf: new Issuer(authority).leafFor(NAME), value: VALUE });
  const ca = join(WORK, 'ca.pem');
  mkdirSync(WORK, { recursive: true });
  writeFileSync(ca, authority.certificate);
  copyFileSync(pathOf('../network/client.mjs'), join(WORK, 'client.mjs'));
  const said = { CORDON_PROVE_HOSTS: `${NAME}:443=127.0.0.1:${server.port}`, CORDON_PROVE_BROKER: `KEY@${NAME}` };
  const { CORDON_PEERS } = process.env;
  const peers = CORDON_PEERS === undefined ? {} : { CORDON_PEERS };
  const clients = await started(waysTo(server.port), { KEY: VALUE, NODE_EXTRA_CA_CERTS: ca, ...said, ...peers });
  const working = clients.filter(({ note }) => note === undefined);
  const figures = await measured({ smoke }, working);
  for (const one of working) one.end();
  server.end();
  const row = (what, unit, pick) => (way) => {
    const name = `a credential that the command does not hold: ${what}, ${way.title}`;
    const at = working.indexOf(way);
    return at === -1 ? { name, value: null, note: way.note } : { name, value: pick(figures[at]), unit };
  };
  const shown = clients.filter(({ title }) => title !== 'direct');
  return [
    ...shown.map(row('a request, beyond direct', 'ms', ({ request }) => request)),
    ...shown.map(row('the first event of a stream, beyond direct', 'ms', ({ event }) => event)),
    ...shown.map(row(`${megabytesOf(smoke)} MB, of the speed of direct`, '×', ({ body }) => body)),
  ];
}
