// A day of many users over many servers that share them, second by second, with the costs that measure.mjs found, and the same day with a
// pod for each user (pods.mjs), with those that bench/cluster.mjs found:
//   node bench/scale/simulate.mjs [--users 100000] [--nodes 1000] [--cells 20] [--json]
// Users are spread by the same function as in `cordon serve`. What is assumed about people and their commands stands below, in one place.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import '../../scripts/ts.mjs';
import { ASSUMED, normal, office, poisson } from './people.mjs';
import { dayOfPods } from './pods.mjs';

const { shardOf } = await import('../../src/mcp/http/shards.ts');
const COSTS = JSON.parse(readFileSync(new URL('costs.json', import.meta.url), 'utf8'));
const CLUSTER = JSON.parse(readFileSync(new URL('../cluster.json', import.meta.url), 'utf8'));

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100000' },
    nodes: { type: 'string', default: '1000' },
    cells: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
});
const [USERS, NODES, CELLS] = [Number(values.users), Number(values.nodes), Number(values.cells)];

/** What a node has to do in a busy second: the sum of its users' weights. */
function weights() {
  const all = new Float64Array(NODES);
  const people = new Uint32Array(NODES);
  let sum = 0;
  for (let i = 0; i < USERS; i++) {
    const weight = Math.exp(ASSUMED.uneven * normal());
    const node = shardOf(`user${i}`, NODES);
    all[node] += weight;
    people[node]++;
    sum += weight;
  }
  return { shares: all.map((weight) => (weight / sum) * USERS), people };
}

/** Of the requests, those that reach a server that does not have their user. */
const forwardedPart = (count) => (count - 1) / count;

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** One node through the day: work that does not fit into a second is left to the next. Both its processors and the one thread of the server. */
function dayOf(share, arrivals) {
  const forwarding = (COSTS.forward_own_ms * forwardedPart(NODES / CELLS)) / 1000;
  const thread = COSTS.call_own_ms / 1000 + forwarding;
  const work = thread + (COSTS.call_others_ms + ASSUMED.commandMs) / 1000;
  let [backlog, queue, most, busiest] = [0, 0, 0, 0];
  const waits = [];
  for (let second = 0; second < 86_400; second++) {
    const calls = poisson(share * arrivals[second]);
    backlog = Math.max(0, backlog + calls * work - ASSUMED.cores);
    queue = Math.max(0, queue + calls * thread - 1);
    const used = Math.min(1, (calls * work) / ASSUMED.cores);
    busiest = Math.max(busiest, used);
    const wait = backlog / ASSUMED.cores + queue;
    most = Math.max(most, wait);
    if (calls > 0) waits.push(wait);
  }
  return { most, busiest, waits };
}

function simulate() {
  const { shares, people } = weights();
  const perUser = (ASSUMED.activeAtPeak * ASSUMED.callsPerMinute) / 60;
  const arrivals = Float64Array.from({ length: 86_400 }, (_, second) => perUser * office(second / 3600));
  const peak = USERS * Math.max(...arrivals);
  const calls = USERS * arrivals.reduce((sum, one) => sum + one, 0);
  // All nodes through a whole day would take minutes: the most loaded, the least, and others evenly between.
  const order = [...shares.keys()].sort((a, b) => shares[a] - shares[b]);
  const chosen = [...new Set(Array.from({ length: 21 }, (_, i) => order[Math.floor((i * (order.length - 1)) / 20)]))];
  const days = chosen.map((node) => ({ node, ...dayOf(shares[node], arrivals) }));
  const waits = days.flatMap((day) => day.waits).sort((a, b) => a - b);
  const worst = days.at(-1);
  const atOnce = (USERS * ASSUMED.activeAtPeak * ASSUMED.callsPerMinute * ASSUMED.commandSeconds) / 60;
  const activePart = Math.min(1, ASSUMED.activeAtPeak * 1.3);
  const cpu = (COSTS.call_own_ms + COSTS.call_others_ms + COSTS.forward_own_ms + ASSUMED.commandMs) / 1000;
  return {
    calls: { perDay: calls, perSecondAtPeak: peak, atOnceAtPeak: atOnce },
    node: {
      usersMean: USERS / NODES,
      usersMost: Math.max(...people),
      busiestSecondOfTheBusiest: worst.busiest,
      utilisationAtPeak: (peak * cpu) / (NODES * ASSUMED.cores),
      sessionsAtPeak: (USERS * activePart * ASSUMED.sessionsPerUser) / NODES,
      sessionsMib: (USERS * activePart * ASSUMED.sessionsPerUser * COSTS.session_mib) / NODES,
      usersThatFillItsThread: 1000 / ((COSTS.call_own_ms + COSTS.forward_own_ms) * perUser),
    },
    wait: {
      p50: percentile(waits, 0.5),
      p99: percentile(waits, 0.99),
      p9999: percentile(waits, 0.9999),
      most: worst.most,
    },
    nodesNeeded: Math.ceil((peak * cpu) / (ASSUMED.cores * 0.5)),
    forwarded: { perSecondAtPeak: peak * forwardedPart(NODES / CELLS), part: forwardedPart(NODES / CELLS) },
    audit: {
      bytesPerSecondAtPeak: peak * COSTS.audit_bytes,
      gibPerDay: (calls * COSTS.audit_bytes) / 2 ** 30,
      mibPerNodeAndDay: (calls * COSTS.audit_bytes) / 2 ** 20 / NODES,
    },
    tokens: {
      mib: (USERS * COSTS.token_bytes) / 2 ** 20,
      secrets: Math.ceil((USERS * COSTS.token_bytes) / 2 ** 20),
      gibSentForOneChange: (NODES * Math.min(2 ** 20, USERS * COSTS.token_bytes)) / 2 ** 30,
      readMs: (COSTS.token_load_ms_of_100000 * USERS) / 1e5,
      inCells: {
        users: USERS / CELLS,
        mib: (USERS * COSTS.token_bytes) / 2 ** 20 / CELLS,
        mibSentForOneChange: ((NODES / CELLS) * ((USERS * COSTS.token_bytes) / CELLS)) / 2 ** 20,
        readMs: (COSTS.token_load_ms_of_100000 * USERS) / 1e5 / CELLS,
      },
    },
    nodeDies: {
      usersCutOff: Math.max(...people),
      callsUnknown: Math.max(...shares) * perUser * ASSUMED.commandSeconds,
      partOfAllCalls: 1 / NODES,
    },
    podsPerUser: dayOfPods({ users: USERS, nodes: NODES, callsPerSecondAtPeak: peak }, CLUSTER),
  };
}

const seen = simulate();
if (values.json) console.log(JSON.stringify(seen, null, 2));
else
  for (const [group, figures] of Object.entries(seen)) {
    const shown = typeof figures === 'object' ? figures : { '': figures };
    for (const [name, value] of Object.entries(shown))
      console.log(
        `${`${group} ${name}`.padEnd(46)} ${typeof value === 'object' ? JSON.stringify(value) : Number(value.toPrecision(3))}`,
      );
  }
