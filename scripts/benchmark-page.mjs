// Writes the tables of docs/benchmark.md from the latest whole run, and those of a cluster, docs/scale.md too, from the latest of
// bench/cluster.mjs:
//   node scripts/benchmark-page.mjs [BENCHMARK.json [PAGE.md [CLUSTER.json]]]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dayOfPods } from '../bench/scale/pods.mjs';
import { markdownTable } from './lib/markdown-table.mjs';
import { wrapped } from './lib/wrap.mjs';

const figure = (value) => value.toFixed(value < 100 ? 2 : 0);
const table = (head, lines) => markdownTable(head, lines, '---:');

function launchTable(rows) {
  const launches = rows.filter(({ group }) => group === 'launch');
  const medianOf = (wanted) => launches.find(({ label }) => label === wanted)?.value;
  const [nothing, own] = [medianOf('nothing'), medianOf('Cordon: tool shim, guarded')];
  const lines = launches.map(({ label, version, value, low, high, note }) => {
    const name = version === undefined ? label : `${label} (${version})`;
    if (value === null) return [name, note, '', '', ''];
    return [name, figure(value), `${figure(low)}–${figure(high)}`, figure(value - nothing), `${figure(value / own)} ×`];
  });
  return table(['`true` started under', 'median ms', 'middle half', 'added ms', 'of our guarded tool shim'], lines);
}

function goalTable(rows) {
  const lines = rows
    .filter(({ goal, value }) => goal !== undefined && value !== null)
    .map(({ name, protection = '', value, unit, goal, holds }) => [
      name.trim(),
      protection,
      `${figure(value)} ${unit}`.trim(),
      goal,
      holds ? 'yes' : '**no**',
    ]);
  return table(['goal', 'protection', 'measured', 'asked for', 'met'], lines);
}

/** Ratios and rates of the cluster; those that have no goal too. */
function clusterTable(rows) {
  const lines = rows.map(({ name, value, unit, goal = '', holds }) => [
    name.trim(),
    `${figure(value)} ${unit}`.trim(),
    goal,
    { true: 'yes', false: '**no**' }[holds] ?? '',
  ]);
  return table(['on two nodes', 'measured', 'asked for', 'met'], lines);
}

const PHASES = { before: 'before', during: 'while both are restarted', after: 'after, sessions opened anew' };

function restartTable(load) {
  const lines = Object.entries(PHASES).map(([key, title]) => {
    const { done, notRun, unknown, silent, seconds, perSecond, p50, p95, p99, busy } = load[key];
    return [title, seconds, done, notRun, unknown, silent, perSecond, p50, p95, p99, busy].map(String);
  });
  const head = [
    '',
    's',
    'done',
    'not run',
    'unknown',
    'no answer',
    'done a second',
    'median ms',
    '95 %',
    '99 %',
    'busy',
  ];
  return table(head, lines);
}

const ms = (value) => `${Number(value.toPrecision(2))} ms`;
const count = (value) => Number(value.toPrecision(value < 10 ? 2 : 3)).toLocaleString('en');

/** What everything spends on a call in a warm pod, on a pod that is made and on one that is removed. */
function podCosts({ call, pod: { made, removed } }) {
  const each = (title, form, of) => [title, ...[call, made, removed].map((cost) => form(of(cost)))];
  const lines = [
    ['the front', ms(call.front), '', ''],
    each('the API server', ms, ({ apiServer }) => apiServer),
    each('etcd', ms, ({ etcd }) => etcd),
    each('scheduler and controllers', ms, ({ controllers }) => controllers),
    each('kubelet, containerd and `runc` of its node', ms, ({ kubelet, containerd }) => kubelet + containerd),
    each('requests to the API server', count, ({ execs, requests }) => Math.max(execs, requests)),
    each('writes of etcd', count, ({ writes }) => writes),
    each('events to those who watch', count, ({ watchEvents }) => watchEvents),
    each('bytes of them', count, ({ watchBytes }) => watchBytes),
  ];
  return table(['processor time and counts', 'a call', 'a pod made', 'a pod removed'], lines);
}

function podDay(day) {
  const lines = [
    ['calls, each an exec', `${count(day.execsPerSecond)} a second`],
    ['pods', `${count(day.pods)}, ${count(day.podsOfANode)} on a node`],
    ['pods made', `${count(day.podsMadePerSecond)} a second, ${count(day.podsMadePerDay)} a day`],
    ['fronts, half busy', `${count(day.fronts)}, each with ${count(day.warmPodsOfAFront)} warm pods`],
    [
      'API servers',
      `${count(day.apiServerCoresForCalls)} cores for execs, ${count(day.apiServerCoresForPods)} for pods`,
    ],
    ['users that fill one of eight cores', count(day.usersThatFill.anApiServerOfEightCores)],
    ['requests to them', `${count(day.requestsPerSecond)} a second`],
    [
      'writes of etcd',
      `${count(day.etcdWritesPerSecondForPods)} a second for pods, ${count(day.etcdWritesPerSecondForNodes)} for nodes`,
    ],
    [
      'events to those who watch',
      `${count(day.watchEventsPerSecond)} a second, ${count(day.watchMegabytesPerSecond)} MB`,
    ],
    ['kubelets, containerd and `runc`', `${count(day.nodeCoresForCalls)} cores of all nodes`],
    ['users with whom Kubernetes has its 150,000 pods', count(day.usersThatFill.theMostPodsOfAKubernetes)],
  ];
  return table(['at the peak, 100,000 users on 1,000 nodes', ''], lines);
}

const between = (page, name, content) =>
  page.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`), (_, start, end) => `${start}${content}\n${end}`);

const whereOf = ({ date, machine: { cpu, cores, kernel, arch, node } }) =>
  `${date}: ${cpu}, ${cores} cores, ${arch}, Linux ${/^\d+\.\d+/.exec(kernel)?.[0]}, Node ${node.slice(1)}`;

/** The page with what stands between its marks made anew. */
export function fill(page, latest, cluster) {
  const shared = `both nodes, API server, etcd and all clients on these ${cluster.machine.cores} cores`;
  return [
    ['where', `${whereOf(latest)}.`],
    ['launch times', launchTable(latest.rows)],
    ['goals', goalTable(latest.rows)],
    ['where the cluster was', wrapped(`${whereOf(cluster)}; ${shared}, which others used too.`)],
    ['cluster', clusterTable(cluster.rows)],
    ['restart', restartTable(cluster.load)],
    ['restart of fronts', restartTable(cluster.loadPods)],
  ].reduce((text, [name, content]) => between(text, name, content), page);
}

const DAY = { users: 100_000, nodes: 1000, callsPerSecondAtPeak: 3000 };

/** The page about scale, in the same way. */
export const fillScale = (page, cluster) =>
  between(between(page, 'pods', podCosts(cluster)), 'pods day', podDay(dayOfPods(DAY, cluster)));

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [latest, page = pathOf('docs/benchmark.md'), cluster] = process.argv.slice(2);
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const [all, onCluster] = [read(latest ?? pathOf('bench/latest.json')), read(cluster ?? pathOf('bench/cluster.json'))];
  writeFileSync(page, fill(readFileSync(page, 'utf8'), all, onCluster));
  if (latest !== undefined) process.exit();
  const scale = pathOf('docs/scale.md');
  writeFileSync(scale, fillScale(readFileSync(scale, 'utf8'), onCluster));
}
