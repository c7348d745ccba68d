import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FRONTS } from './client.ts';
import { kubectl, PODS_NAMESPACE } from './kubernetes.ts';
import { HERE } from './people.ts';
import { podOf } from './users-pods.ts';

const TIMES = 25;
const AT_ONCE = 8;
const ROUNDS = 8;

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

/** What has part in a call, by words of its command line; all of them are processes of this machine. */
const PARTS: Readonly<Record<string, RegExp>> = {
  front: /\0serve\0.*--pods=/s,
  'API server': /^kube-apiserver\0/,
  etcd: /^etcd\0/,
  kubelet: /^kubelet\0/,
  containerd: /^containerd\0/,
};

/** Processor time in ms that each part has had. Another cluster on this machine would be counted too. */
function processorTimes(): Record<string, number> {
  const times = Object.fromEntries(Object.keys(PARTS).map((name) => [name, 0]));
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [words, stat] = [textOf(`/proc/${pid}/cmdline`), textOf(`/proc/${pid}/stat`)];
    const part = Object.entries(PARTS).find(([, form]) => form.test(words))?.[0];
    if (part === undefined) continue;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    times[part] = (times[part] ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10;
  }
  return times;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

describe('what a call in a pod costs', () => {
  test('no more than half as much again as kubectl exec of the same', async () => {
    const [origin] = await FRONTS.bothServe();
    const id = await FRONTS.open(HERE, origin);
    const pod = await podOf(HERE, id, origin);
    const exec = () => kubectl('--namespace', PODS_NAMESPACE, 'exec', pod, '--', 'bash', '-c', 'true');
    const call = () => FRONTS.call(HERE, id, 'true', origin);
    const [execs, calls]: [number[], number[]] = [[], []];
    for (let i = 0; i < TIMES; i++) {
      execs.push(await timed(exec));
      calls.push(await timed(call));
    }
    const [ofExec, ofCall] = [median(execs), median(calls)];
    process.stdout.write(
      `cost: kubectl exec ${ofExec.toFixed(0)} ms, a call ${ofCall.toFixed(0)} ms (medians of ${TIMES})\n`,
    );
    expect(ofCall / ofExec).toBeLessThan(1.5);
  });

  test('in processor time of everything that has part in it, for the page about scale', async () => {
    const [origin] = await FRONTS.bothServe();
    const id = await FRONTS.open(HERE, origin);
    await FRONTS.call(HERE, id, 'true', origin);
    const before = processorTimes();
    const took = await timed(async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const calls = Array.from({ length: AT_ONCE }, () => FRONTS.call(HERE, id, 'env | sort', origin));
        for (const { status, output } of await Promise.all(calls))
          expect([status, output]).toEqual([200, expect.any(String)]);
      }
    });
    const after = processorTimes();
    const all = AT_ONCE * ROUNDS;
    const each = Object.keys(after).map(
      (name) => `${name} ${(((after[name] ?? 0) - (before[name] ?? 0)) / all).toFixed(1)} ms`,
    );
    process.stdout.write(
      `cost: ${all} calls, ${AT_ONCE} at once: ${((all / took) * 1000).toFixed(1)} a second; ${each.join(', ')}\n`,
    );
  });
});
