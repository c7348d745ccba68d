// Sessions: one Bash call against the same bubblewrap call from Node, and many users at once.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { directCall, makeUsers, secretOf } from './ground.mjs';

const { openSession } = await import('../../dist/index.js');

async function timed(act) {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** What is made ready for the next call must not fall on the one that is measured. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 30));

/** Interleaved, so that whatever else the machine does falls on both. */
async function callRatio(rounds) {
  const { root, env } = makeUsers(1);
  const workspace = join(root, 'workspaces', 'user0');
  const session = await openSession({ user: 'user0', workspace, env });
  const direct = directCall(workspace, env);
  const values = { OWN_TOKEN: secretOf('user0'), SHARED: 'shared-value' };
  const ours = [];
  const theirs = [];
  for (let i = 0; i < rounds; i++) {
    await quiet();
    theirs.push(await timed(() => direct('env', values)));
    await quiet();
    ours.push(await timed(() => session.bash('env')));
  }
  await session.close();
  rmSync(root, { recursive: true });
  return { ours: median(ours), theirs: median(theirs), ratio: median(ours) / median(theirs) };
}

/** What must not grow. */
function surroundings(root) {
  globalThis.gc?.();
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    processes: childrenOf(process.pid),
    megabytes: process.memoryUsage().rss / 2 ** 20,
    temporary: readdirSync(root, { recursive: true }).length,
  };
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length;
}

function isOwn(text, user) {
  const lines = new Set(text.split('\n'));
  const others = [...lines].filter((line) => line.includes('value-of-') && line !== `OWN_TOKEN=${secretOf(user)}`);
  return lines.has(`OWN_TOKEN=${secretOf(user)}`) && lines.has('SHARED=shared-value') && others.length === 0;
}

/** Users × sessions open at once, then calls by so many at a time; each prints its environment. */
export async function load({ users: userCount, each, calls, atOnce }) {
  const { root, users, env } = makeUsers(userCount);
  const openings = users.flatMap((user) => Array.from({ length: each }, () => user));
  const sessions = [];
  const openTime = await timed(async () => {
    for (const user of openings)
      sessions.push(await openSession({ user, workspace: join(root, 'workspaces', user), env }));
  });
  const halves = [];
  let wrong = 0;
  let next = 0;
  const worker = async (end) => {
    while (next < end) {
      const session = sessions[(next++ * 7919) % sessions.length];
      const { stdout } = await session.bash('env');
      if (!isOwn(stdout.toString(), session.user)) wrong++;
    }
  };
  for (const end of [calls / 2, calls]) {
    const time = await timed(() => Promise.all(Array.from({ length: atOnce }, () => worker(end))));
    await quiet(); // The launchers for the next calls are being made.
    await quiet();
    halves.push({ ...surroundings(root), time });
  }
  await Promise.all(sessions.map((session) => session.close()));
  const processesLeft = childrenOf(process.pid);
  const left = leftIn(join(root, 'home', 'state', 'sessions'));
  rmSync(root, { recursive: true });
  return { wrong, halves, left, processesLeft, perOpen: openTime / openings.length };
}

function leftIn(folder) {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

export async function rows({ smoke }) {
  const { ours, theirs, ratio } = await callRatio(smoke ? 20 : 200);
  const size = smoke
    ? { users: 20, each: 2, calls: 100, atOnce: 16 }
    : { users: 200, each: 5, calls: 2000, atOnce: 32 };
  const { wrong, halves, left, processesLeft, perOpen } = await load(size);
  const [first, second] = halves;
  const grown = (key) => second[key] - first[key];
  return [
    { name: 'session: a Bash call', value: ours, unit: 'ms' },
    { name: 'session: the same bubblewrap call from Node', value: theirs, unit: 'ms' },
    { name: 'session: Bash call / bubblewrap call', protection: 'session', value: ratio, unit: '×', goal: '<= 0.6' },
    { name: `session: opening one of ${size.users * size.each}`, value: perOpen, unit: 'ms' },
    {
      name: `session: ${size.calls} calls by ${size.atOnce} with another user's values`,
      value: wrong,
      unit: '',
      goal: '<= 0',
    },
    { name: 'session: calls a second', value: (size.calls / (first.time + second.time)) * 1000, unit: '/s' },
    { name: 'session: descriptors more after the second half', value: grown('descriptors'), unit: '', goal: '<= 0' },
    { name: 'session: processes more after the second half', value: grown('processes'), unit: '', goal: '<= 0' },
    { name: 'session: processes left after closing', value: processesLeft, unit: '', goal: '<= 0' },
    { name: 'session: memory more after the second half', value: grown('megabytes'), unit: 'MB', goal: '<= 32' },
    { name: 'session: temporary files more after the second half', value: grown('temporary'), unit: '', goal: '<= 0' },
    { name: 'session: folders left after closing', value: left, unit: '', goal: '<= 0' },
  ];
}
