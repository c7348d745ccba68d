// What a list of hosts costs: the same client with nothing around it and in a sandbox whose list names the server, asked in turn.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import '../../scripts/ts.mjs';
import { median, part } from '../broker/rows.mjs';
import { EVERYDAY, livedInHome, PROJECT } from '../home.mjs';
import { interleaved } from '../interleave.mjs';

const { Issuer, newAuthority } = await import('../../src/broker/authority.ts');

const NAME = 'api.example.test';
const cordon = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));
const CLIENT = readFileSync(new URL('client.mjs', import.meta.url), 'utf8');
const TRUE = '/usr/bin/true';

function client(before, host, port) {
  const node = [process.execPath, '--input-type=module', '-e', CLIENT, '--', host, String(port), NAME];
  const [program, ...args] = [...before, ...node];
  const child = spawn(program, args, { cwd: PROJECT, env: EVERYDAY, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (path, connection) => {
      child.stdin.write(`${path} ${connection}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the client ended');
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

async function inTurn(rounds, clients, [path, connection], what) {
  const taken = clients.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, one] of clients.entries()) taken[at].push((await one.ask(path, connection))[what]);
  return taken.map(median);
}

/** Of as many launches, the first connection of each. */
async function firstOnes(rounds, start) {
  const taken = [];
  for (let round = 0; round < rounds; round++) {
    const one = start();
    taken.push((await one.ask('/', 'new')).last);
    one.end();
  }
  return median(taken);
}

function launches(rounds) {
  const run = (...flags) => ({ in: PROJECT, words: [cordon, 'run', ...flags, '--', TRUE] });
  const commands = { off: run('--net', 'off'), unused: run('--net', NAME) };
  for (const { words } of Object.values(commands))
    for (let i = 0; i < 3; i++) execFileSync(words[0], words.slice(1), { cwd: PROJECT, env: EVERYDAY });
  const { off, unused } = interleaved(commands, rounds, EVERYDAY);
  return unused / off;
}

export async function rows({ smoke }) {
  livedInHome({ smoke });
  const authority = newAuthority([{ name: NAME, below: false, port: 443 }]);
  const server = await part('server', { leaf: new Issuer(authority).leafFor(NAME) });
  const direct = () => client([], '127.0.0.1', server.port);
  const named = () => client([cordon, 'run', '--net', `${NAME}=127.0.0.1:${server.port}`, '--'], NAME, 443);
  const clients = [direct(), named()];
  await inTurn(smoke ? 5 : 300, clients, ['/', 'kept'], 'last');
  const [plain, through] = await inTurn(smoke ? 20 : 3000, clients, ['/', 'kept'], 'last');
  const [fresh, freshThrough] = await inTurn(smoke ? 10 : 500, clients, ['/', 'new'], 'last');
  const [event, eventThrough] = await inTurn(smoke ? 5 : 300, clients, ['/events', 'kept'], 'first');
  const megabytes = smoke ? 64 : 1024;
  const [whole, wholeThrough] = await inTurn(smoke ? 1 : 3, clients, [`/?megabytes=${megabytes}`, 'kept'], 'last');
  for (const one of clients) one.end();
  const starts = smoke ? 2 : 20;
  const [first, firstThrough] = [await firstOnes(starts, direct), await firstOnes(starts, named)];
  server.end();
  const beyond = (name, value, goal) => ({ name: `a list of hosts: ${name}`, value, unit: 'ms', goal });
  const ratio = (name, value, goal) => ({ name: `a list of hosts: ${name}`, value, unit: 'x', goal });
  return [
    beyond('a request on an open connection, beyond direct', through - plain, '<= 0.4'),
    ratio('a new TLS connection / direct', freshThrough / fresh, '<= 1.6'),
    ratio(`${megabytes} MB, of the speed of direct`, whole / wholeThrough, '>= 0.7'),
    beyond('the first event of a stream, beyond direct', eventThrough - event, '<= 1'),
    ratio('a launch that does not use it / --net off', launches(smoke ? 20 : 200), '<= 1.15'),
    beyond('the first connection, beyond direct', firstThrough - first, '<= 60'),
  ];
}
