// What calls cost on a real Kubernetes of two nodes, and what a rolling restart under load does to them: node bench/cluster.mjs
// As root, with what .ci/cluster needs: its tests measure, and here it is kept, in bench/cluster.json. All of it shares the cores of one
// machine: both nodes, API server, etcd and the clients. So the figures are good for ratios and counts, and for little else.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holds, machine } from './report.mjs';

const CLUSTER = fileURLToPath(new URL('../.ci/cluster', import.meta.url));
const KEPT = fileURLToPath(new URL('cluster.json', import.meta.url));
const round = (value) => Number(value.toPrecision(3));

function measure(folder) {
  const env = { ...process.env, CORDON_BENCH_FOLDER: folder };
  const { status } = spawnSync(CLUSTER, ['cluster/load', 'cost.test'], { env, stdio: 'inherit' });
  if (status !== 0) throw new Error('the tests did not pass, and nothing is kept');
  const read = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  return Object.fromEntries(
    ['load', 'load-pods', 'warm-pod', 'servers', 'call-in-pod', 'pod'].map((name) => [name, read(name)]),
  );
}

const rowsOf = ({ 'warm-pod': warm, servers }) => [
  {
    name: 'a call in a warm pod / `kubectl exec` of the same',
    value: warm.callMs / warm.execMs,
    unit: 'x',
    goal: '<= 1.5',
  },
  { name: '  median kubectl exec', value: warm.execMs, unit: 'ms' },
  { name: '  median call in a warm pod', value: warm.callMs, unit: 'ms' },
  { name: 'calls a second of two servers on two nodes / of one', value: servers.two / servers.one, unit: 'x' },
  { name: '  calls a second of one server', value: servers.one, unit: '/s' },
  { name: '  calls a second of two, each asked for its own users', value: servers.two, unit: '/s' },
  { name: '  calls a second of two, each asked for the other’s users', value: servers.handedOn, unit: '/s' },
  { name: '  processes of the machine that wanted its cores, ours among them', value: servers.busy, unit: '' },
];

const folder = mkdtempSync(join(tmpdir(), 'cordon-bench-'));
try {
  const { load, 'load-pods': loadPods, 'call-in-pod': call, pod, ...measured } = measure(folder);
  const rows = rowsOf(measured).map((row) => ({ ...row, value: round(row.value), holds: holds(row) }));
  const kept = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    rows,
    load,
    loadPods,
    call,
    pod,
  };
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
