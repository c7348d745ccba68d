// 200 users with five sessions each, all open at once over HTTP, and calls by 32 at a time: what each sees, and what grows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { makeUsers, secretOf } from '../sessions/ground.mjs';

const { TokenStore } = await import('../../src/mcp/http/tokens.ts');
const { figuresOf, inTurn, openAll, printedEnvironment } = await import('./http-load.ts');
const CORDON = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));

/** One file of output stays in each workspace, so that their number says something. */
const PROFILE = 'session: { output_files: 1 }\n';

async function startServer(root, env) {
  const profile = join(root, 'profile.yaml');
  writeFileSync(profile, PROFILE);
  const flags = ['--workspaces', join(root, 'workspaces'), '--listen', '127.0.0.1:0', '--profile', profile];
  const rates = ['--max-sessions', '100', '--max-calls', '100', '--max-rate', '1000000'];
  const options = { env: { ...env, PATH: process.env.PATH }, stdio: ['ignore', 'ignore', 'pipe'] };
  const child = spawn(CORDON, ['serve', ...flags, ...rates], options);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-4096);
  });
  let origin;
  while (origin === undefined) {
    await once(child.stderr, 'data');
    origin = /listening on (\S+)\/mcp/.exec(said)?.[1];
  }
  const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1').split(' ');
  return { child, origin, pid: Number(pid) };
}

const isOwn = (lines, user) =>
  lines.join() ===
  ['HOME=/workspace', `OWN_TOKEN=${secretOf(user)}`, 'PATH=/usr/bin:/bin', 'SHARED=shared-value'].join();

async function half(target, sessions, { calls, atOnce, root }) {
  const started = performance.now();
  const right = await inTurn(calls, atOnce, async (i) => {
    const session = sessions[(i * 7) % sessions.length];
    return isOwn(await printedEnvironment(target.origin, session), session.user);
  });
  const seconds = (performance.now() - started) / 1000;
  return { ...(await figuresOf(target, root)), wrong: right.filter((one) => !one).length, seconds };
}

/** First and last half, and what is left when the server has ended. */
async function load({ users: count, each, calls, atOnce }) {
  const { root, users, env } = makeUsers(count);
  const store = TokenStore.ofHome(env.CORDON_HOME);
  const tokens = new Map(users.map((user) => [user, store.add(user).token]));
  const { child, origin, pid } = await startServer(root, env);
  const target = { origin, pid, tokens };
  const sessions = await openAll(target, each);
  const halves = [];
  for (let i = 0; i < 2; i++) halves.push(await half(target, sessions, { calls: calls / 2, atOnce, root }));
  child.kill('SIGTERM');
  await once(child, 'close');
  const left = readdirSync(join(env.CORDON_HOME, 'state', 'sessions')).length;
  rmSync(root, { recursive: true });
  return { halves, left, open: sessions.length };
}

const RATE = {
  smoke: { users: 20, each: 2, calls: 80, atOnce: 16 },
  whole: { users: 200, each: 5, calls: 2000, atOnce: 32 },
};

export async function httpRows({ smoke }) {
  const size = RATE[smoke ? 'smoke' : 'whole'];
  const { halves, left, open } = await load(size);
  const [first, last] = halves;
  const per = `${size.calls / 2} calls`;
  const both = (name, key, unit, most) => [
    { name: `  ${name} after the first ${per}`, value: first[key], unit },
    { name: `  ${name} after the last ${per}`, value: last[key], unit },
    { name: `http: ${name} more`, value: last[key] - first[key], unit, goal: `<= ${most}` },
  ];
  return [
    { name: 'http: sessions open at once', value: open, unit: '' },
    {
      name: `http: ${size.calls} calls by ${size.atOnce} with other values`,
      value: first.wrong + last.wrong,
      unit: '',
      goal: '<= 0',
    },
    {
      name: 'http: Bash calls a second of cordon serve, one process',
      protection: 'session',
      value: size.calls / (first.seconds + last.seconds),
      unit: '/s',
      goal: '>= 200',
    },
    // A connection that the client keeps open is one.
    ...both('descriptors', 'descriptors', '', size.atOnce),
    ...both('processes', 'processes', '', 4),
    // Over 6000 calls it goes up and down between 240 and 280 MB.
    ...both('memory', 'megabytes', 'MB', 64),
    // Calls that end at the same moment in one workspace leave each its file, until the next.
    ...both('files', 'files', '', size.atOnce),
    { name: 'http: session folders left', value: left, unit: '', goal: '<= 0' },
  ];
}
