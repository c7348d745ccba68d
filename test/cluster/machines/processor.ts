import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { kubectl } from '../kubernetes.ts';
import { labFolder } from './lab.ts';

/** What has part in a call, by words of its command line. Another cluster on this machine would be counted too. */
const PARTS: Readonly<Record<string, RegExp>> = {
  front: /\0serve\0.*--pods=/s,
  apiServer: /^kube-apiserver\0/,
  etcd: /^etcd\0/,
  controllers: /^kube-(controller-manager|scheduler)\0/,
  kubelet: /^kubelet\0/,
  containerd: /^(\S*\/)?containerd(-shim\S*)?\0/,
};

/** Processor time in ms that each part has had, with what it has waited for (`runc`, for one), and all containers together. */
function processorTimes(): Record<string, number> {
  const times = Object.fromEntries(Object.keys(PARTS).map((name) => [name, 0]));
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [words, stat] = [textOf(`/proc/${pid}/cmdline`), textOf(`/proc/${pid}/stat`)];
    const part = Object.entries(PARTS).find(([, form]) => form.test(words))?.[0];
    if (part === undefined) continue;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    times[part] = (times[part] ?? 0) + fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
  }
  const group = readdirSync('/sys/fs/cgroup').find((name) => name.split(',').includes('cpuacct')) ?? '';
  const usage = join('/sys/fs/cgroup', group, basename(labFolder()), 'cpuacct.usage');
  return { ...times, containers: Number(readFileSync(usage, 'latin1')) / 1e6 };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** What the API server has done so far with pods, and with what is told of them (`events`). */
async function requests(): Promise<Record<string, number>> {
  const text = await kubectl('get', '--raw', '/metrics');
  const sum = (name: string, ...labels: RegExp[]) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => label.test(line)))
      .reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    execs: sum('apiserver_request_total', /resource="pods"/, /subresource="exec"/),
    // Without lists and watches, which are those of whoever looks on.
    requests: sum('apiserver_request_total', /resource="(pods|events)"/, /verb="(?!LIST|WATCH)/),
    writes: sum(
      'etcd_request_duration_seconds_count',
      /type="\*core\.(Pod|Event)"/,
      /operation="(create|update|delete)"/,
    ),
    reads: sum('etcd_request_duration_seconds_count', /type="\*core\.(Pod|Event)"/, /operation="get"/),
    watchEvents: sum('apiserver_watch_events_total', /kind="(Pod|Event)"/),
    watchBytes: sum('apiserver_watch_events_sizes_sum', /kind="(Pod|Event)"/),
  };
}

export type Counted = Readonly<Record<string, number>>;

/** What has been spent and asked so far. */
export const counted = async (): Promise<Counted> => ({
  ms: performance.now(),
  ...processorTimes(),
  ...(await requests()),
});

const IDLE_MS = 8000;

/** What all of it spends in a millisecond in which nobody asks for anything. */
export async function idle(): Promise<Counted> {
  const before = await counted();
  await pause(IDLE_MS);
  const after = await counted();
  return eachOf((after.ms as number) - (before.ms as number), before, after);
}

/** What each of so many took, beyond what would have been spent without them, to three digits. */
export function eachOf(count: number, before: Counted, after: Counted, without: Counted = {}): Counted {
  const ms = (after.ms ?? 0) - (before.ms ?? 0);
  const each = Object.entries(after)
    .filter(([name]) => name !== 'ms')
    .map(([name, value]) => [name, (value - (before[name] ?? 0) - (without[name] ?? 0) * ms) / count] as const);
  return Object.fromEntries(each.map(([name, value]) => [name, Number(Math.max(0, value).toPrecision(3))]));
}
