// The day of simulate.mjs with a pod for each active user: what the API server, etcd and the fronts have to take. What a call, a new pod
// and one that is removed cost them was measured on two nodes by bench/cluster.mjs.
import { ASSUMED, numbers, office } from './people.mjs';

/** Of Kubernetes itself: what its pages name as the most that is tried (nodes, pods, pods of a node), and how often a node says that it lives. */
const KUBERNETES = { pods: 150_000, podsOfANode: 110, leaseSeconds: 10 };
/** What one API server and its etcd are given; a front has one thread. */
const API_CORES = 8;
/** One first call in so many may wait for a pod to be made. */
const MAY_WAIT = 1e-4;

/** One person through the day: when a pod is made for them, and when it goes. */
function podsOfOne(random) {
  const found = [];
  let until = -1;
  let second = 0;
  while (second < 86_400) {
    const active = Math.min(0.95, ASSUMED.activeAtPeak * office(second / 3600));
    const starts = active / (1 - active) / ASSUMED.stretchSeconds;
    second += 10;
    if (random() >= 1 - Math.exp(-starts * 10)) continue;
    const ends = second - ASSUMED.stretchSeconds * Math.log(random());
    if (second > until) found.push({ from: second, to: 0 });
    until = ends + ASSUMED.idleSeconds;
    found.at(-1).to = until;
    second = ends;
  }
  return found;
}

/** Pods that are there, and that are made in a second, at the busiest minute of the day; some people stand for all. */
function pods(users) {
  const sample = Math.min(users, 20_000);
  const random = numbers(7);
  const [made, there] = [new Float64Array(1440), new Float64Array(1441)];
  for (let i = 0; i < sample; i++)
    for (const { from, to } of podsOfOne(random)) {
      made[Math.min(1439, Math.floor(from / 60))]++;
      there[Math.min(1440, Math.floor(from / 60))]++;
      there[Math.min(1440, Math.floor(to / 60))]--;
    }
  let [sum, most] = [0, 0];
  for (const change of there) {
    sum += change;
    most = Math.max(most, sum);
  }
  // Over ten minutes, since a minute of a sample is mostly chance.
  const rates = Array.from({ length: 1431 }, (_, i) => made.slice(i, i + 10).reduce((all, one) => all + one, 0) / 600);
  const scale = users / sample;
  return {
    most: most * scale,
    perDay: made.reduce((all, one) => all + one, 0) * scale,
    perSecond: Math.max(...rates) * scale,
  };
}

/** The fewest that have to wait ready, so that hardly anybody waits, when one that is taken is made anew in so many seconds. */
function warmPool(perSecond, seconds) {
  const mean = perSecond * seconds;
  let [count, term] = [0, Math.exp(-mean)];
  let below = term;
  while (1 - below > MAY_WAIT) {
    count++;
    term *= mean / count;
    below += term;
  }
  return count + 1;
}

/** All figures at the busiest time of the day, with the costs that were measured. */
export function dayOfPods({ users, nodes, callsPerSecondAtPeak: calls }, { call, pod }) {
  const perPod = (name) => pod.made[name] + pod.removed[name];
  const { most, perDay, perSecond: made } = pods(users);
  const fronts = Math.ceil((calls * call.front) / 1000 / 0.5);
  const warm = warmPool(made / fronts, pod.readySeconds.most);
  const apiForCalls = (calls * call.apiServer) / 1000;
  const apiForPods = (made * perPod('apiServer')) / 1000;
  return {
    execsPerSecond: calls,
    pods: most,
    podsOfANode: most / nodes,
    podsMadePerDay: perDay,
    podsMadePerSecond: made,
    fronts,
    warmPodsOfAFront: warm,
    apiServerCoresForCalls: apiForCalls,
    apiServerCoresForPods: apiForPods,
    requestsPerSecond: calls * call.execs + made * perPod('requests'),
    etcdWritesPerSecondForPods: made * perPod('writes'),
    etcdWritesPerSecondForNodes: nodes / KUBERNETES.leaseSeconds,
    watchEventsPerSecond: made * perPod('watchEvents'),
    watchMegabytesPerSecond: (made * perPod('watchBytes')) / 1e6,
    nodeCoresForCalls: (calls * (call.kubelet + call.containerd)) / 1000,
    usersThatFill: {
      anApiServerOfEightCores: Math.floor((users * API_CORES) / (apiForCalls + apiForPods)),
      theMostPodsOfAKubernetes: Math.floor((users * KUBERNETES.pods) / most),
      theMostPodsOfThisManyNodes: Math.floor((users * KUBERNETES.podsOfANode * nodes) / most),
    },
  };
}
