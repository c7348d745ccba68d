// What one call, session, forwarded request and token cost `cordon serve`, as input for simulate.mjs:
//   node bench/scale/measure.mjs     writes bench/scale/costs.json
// Processor time, not duration: what the kernel counted for the server and for all processes it has waited for. It says the same on a machine
// that has other things to do, roughly.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { makeUsers } from '../sessions/ground.mjs';
import { asOrdinaryUser, scratch } from '../user.mjs';

const { TokenStore } = await import('../../src/mcp/http/tokens.ts');
const { shardOf } = await import('../../src/mcp/http/shards.ts');
const { inTurn, openAll, printedEnvironment } = await import('../mcp/http-load.ts');
const CORDON = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));
const TICK_MS = 10;

const [USERS, EACH, CALLS] = [40, 5, 400];
const ORIGINS = ['http://127.93.1.1:8732', 'http://127.93.1.2:8732'];

async function startServer(number, { root, env, tokens }) {
  const flags = [
    '--workspaces',
    join(root, 'workspaces'),
    '--listen',
    new URL(ORIGINS[number]).host,
    '--tokens',
    tokens,
  ];
  const shard = ['--shard', `${number}/2`, '--peers', ORIGINS.join(), '--allow-host', 'x.test'];
  const most = ['--max-sessions', '100', '--max-calls', '100', '--max-rate', '1000000'];
  const options = { env: { ...env, PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] };
  const child = spawn(CORDON, ['serve', ...flags, ...shard, ...most], options);
  for (let said = ''; !said.includes('listening on'); ) said += (await once(child.stderr, 'data'))[0];
  child.stderr.resume();
  const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1').split(' ');
  return { child, pid: Number(pid) };
}

/** Milliseconds of processor: its own, and of those it waited for. */
function spent({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ').map(Number);
  return { own: (fields[11] + fields[12]) * TICK_MS, others: (fields[13] + fields[14]) * TICK_MS };
}

const memoryOf = ({ pid }) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

async function costOf(servers, count, act) {
  const before = servers.map(spent);
  const started = performance.now();
  await inTurn(count, 8, act);
  const seconds = (performance.now() - started) / 1000;
  const after = servers.map(spent);
  const each = after.map(({ own, others }, i) => ({
    own: (own - before[i].own) / count,
    others: (others - before[i].others) / count,
  }));
  return { each, perSecond: count / seconds };
}

function tokenCosts(root) {
  const file = join(root, 'many.jsonl');
  const lines = Array.from({ length: 100_000 }, (_, i) =>
    JSON.stringify({
      ...{ id: i.toString(16).padStart(8, '0'), user: `user${i}` },
      ...{ sha256: i.toString(16).padStart(64, '0'), created: new Date(0).toISOString() },
    }),
  );
  appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  // As it is most of the time: not just written.
  utimesSync(file, 1e9, 1e9);
  const store = new TokenStore(file, 'shared');
  const started = performance.now();
  store.userOf('first', () => undefined);
  const load = performance.now() - started;
  const times = 2000;
  const again = performance.now();
  for (let i = 0; i < times; i++) store.userOf(`other${i}`, () => undefined);
  const each = ((performance.now() - again) / times) * 1000;
  for (let i = 0; i < times; i++) shardOf(`user${i}`, 1000);
  const hashing = performance.now();
  for (let i = 0; i < times; i++) shardOf(`user${i}`, 1000);
  return {
    token_bytes: statSync(file).size / lines.length,
    token_load_ms_of_100000: load,
    token_look_up_us: each,
    shard_us: ((performance.now() - hashing) / times) * 1000,
  };
}

async function measure() {
  const { root, users, env } = makeUsers(USERS);
  const tokens = join(root, 'tokens.jsonl');
  const store = new TokenStore(tokens, 'shared');
  const mine = new Map(users.map((user) => [user, store.add(user).token]));
  const servers = [await startServer(0, { root, env, tokens }), await startServer(1, { root, env, tokens })];

  // Only users of the second: asked there directly, and by way of the first.
  const there = new Map([...mine].filter(([user]) => shardOf(user, 2) === 1));
  const memory = memoryOf(servers[1]);
  const opening = spent(servers[1]);
  const sessions = await openAll({ origin: ORIGINS[1], tokens: there }, EACH);
  const opened = spent(servers[1]);
  const memoryAfter = memoryOf(servers[1]);
  const ask = (origin) => (i) => printedEnvironment(origin, sessions[(i * 7) % sessions.length]);
  await inTurn(40, 8, ask(ORIGINS[0]));
  const audit = () => statSync(join(env.CORDON_HOME, 'state', 'audit.jsonl')).size;
  const recorded = audit();
  const direct = await costOf(servers, CALLS, ask(ORIGINS[1]));
  const perRecord = (audit() - recorded) / CALLS;
  const forwarded = await costOf(servers, CALLS, ask(ORIGINS[0]));
  const report = {
    call_own_ms: direct.each[1].own,
    call_others_ms: direct.each[1].others,
    calls_per_second_here: direct.perSecond,
    forward_own_ms: forwarded.each[0].own,
    open_own_ms: (opened.own - opening.own) / sessions.length,
    session_mib: (memoryAfter - memory) / sessions.length,
    server_mib: memory,
    audit_bytes: perRecord,
    ...tokenCosts(root),
  };
  for (const { child } of servers) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  rmSync(root, { recursive: true });
  const rounded = Object.entries(report).map(([name, value]) => [name, Number(value.toPrecision(3))]);
  return `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`;
}

const COSTS = fileURLToPath(new URL('costs.json', import.meta.url));
if (scratch === undefined)
  process.exitCode = asOrdinaryUser(fileURLToPath(import.meta.url), [], (result) => copyFileSync(result, COSTS));
else writeFileSync(process.argv.at(-1), await measure());
