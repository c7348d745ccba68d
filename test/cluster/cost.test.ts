import { loadavg } from 'node:os';
import { describe, expect, test } from 'vitest';
import { inTurn } from '../../bench/mcp/http-load.ts';
import { shardOf } from '../../src/mcp/http/shards.ts';
import { bothServe, call, FRONTS, open } from './client.ts';
import { keepFigures } from './figures.ts';
import { kubectl, PODS_NAMESPACE } from './kubernetes.ts';
import { CROWD, HERE, secretOf } from './people.ts';
import { podOf } from './users-pods.ts';

const TIMES = 25;
const [USERS, CALLS, AT_ONCE] = [16, 48, 8];
/** Longer where figures are wanted. */
const ROUNDS = process.env.CORDON_BENCH_FOLDER === undefined ? 2 : 10;

const at = (part: number, times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] as number;
const median = (times: readonly number[]) => at(0.5, times);

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

describe('what a call costs', () => {
  test('in a warm pod: no more than half as much again as kubectl exec of the same', async () => {
    const [origin] = await FRONTS.bothServe();
    const id = await FRONTS.open(HERE, origin);
    const pod = await podOf(HERE, id, origin);
    const exec = () => kubectl('--namespace', PODS_NAMESPACE, 'exec', pod, '--', 'bash', '-c', 'true');
    const warm = () => FRONTS.call(HERE, id, 'true', origin);
    const [execs, calls]: [number[], number[]] = [[], []];
    for (let i = 0; i < TIMES; i++) {
      execs.push(await timed(exec));
      calls.push(await timed(warm));
    }
    keepFigures('warm-pod', { execMs: median(execs), callMs: median(calls), times: TIMES });
    // Those that were least in the way of other things: what else the machine does is not to fail here.
    expect(at(0.2, calls) / at(0.2, execs)).toBeLessThan(1.5);
  });

  test('at one server, at two on two nodes, and by way of the other: each gets its own value', async () => {
    const origins = await bothServe();
    const sessions = await Promise.all(
      [0, 1].map(async (at) => {
        const names = CROWD.filter((name) => shardOf(name, 2) === at).slice(0, USERS);
        return inTurn(USERS, AT_ONCE, async (i) => {
          const name = names[i] as string;
          return { name, id: await open(name, origins[at] as string) };
        });
      }),
    );
    /** Calls by users of these servers in turn, each asked at its own or at the other. */
    const secondsOf = async (homes: readonly number[], isAskedThere: boolean) =>
      (await timed(() =>
        inTurn(CALLS, AT_ONCE, async (i) => {
          const home = homes[i % homes.length] as number;
          const of = sessions[home] as { name: string; id: string }[];
          const { name, id } = of[Math.floor(i / homes.length) % USERS] as { name: string; id: string };
          const origin = origins[isAskedThere ? home : 1 - home] as string;
          expect((await call(name, id, 'echo "$OWN_KEY"', origin)).output).toBe(secretOf(name));
        }),
      )) / 1000;
    const [one, two, handedOn]: [number[], number[], number[]] = [[], [], []];
    for (let i = 0; i < ROUNDS; i++) {
      one.push(await secondsOf([i % 2], true));
      two.push(await secondsOf([0, 1], true));
      handedOn.push(await secondsOf([0, 1], false));
    }
    const rate = (seconds: readonly number[]) => CALLS / median(seconds);
    keepFigures('servers', {
      one: rate(one),
      two: rate(two),
      handedOn: rate(handedOn),
      atOnce: AT_ONCE,
      rounds: ROUNDS,
      busy: loadavg()[0],
    });
  });
});
