import { describe, expect, test } from 'vitest';
import { shardOf } from '../../src/mcp/http/shards.ts';
import { callOf, INITIALIZE } from '../mcp/http-support.ts';
import { readCall } from '../mcp/replica-support.ts';
import { type Asked, type Fate, groupsOf, Load } from '../mcp/restart-load.ts';
import { ask, bothServe, FRONTS, NotReached, Silent } from './client.ts';
import { rolledOut } from './deploy-set-up.ts';
import { keepFigures } from './figures.ts';
import { FRONT_NAMESPACE, inPod, kubectl, NAMESPACE } from './kubernetes.ts';
import { CROWD, secretOf } from './people.ts';
import { readyServers } from './ready-servers.ts';

const EACH = 5;
const AT_ONCE = 8;
/** Calls in each session. Afterwards the first finds that the session is gone. */
const TIMES = process.env.CORDON_BENCH_FOLDER === undefined ? { before: 0.4, after: 1.2 } : { before: 1, after: 2 };
/** Each of these has a pod. */
const FEW = CROWD.slice(0, 12);
const FEW_EACH = 2;
/** Longer than the servers themselves wait for anything. */
const PATIENCE_MS = 60_000;

const groups = (people: readonly string[]) => groupsOf(people, (name) => shardOf(name, 2), AT_ONCE / 2);

/** Any server that is ready is asked, as by way of a Service. */
function asked(ready: () => readonly string[], how: typeof ask): Asked {
  const send = (name: string, number: number, body: object, id = '') => {
    const servers = ready();
    if (servers.length === 0) throw new NotReached('no server is ready');
    return how(`http://${servers[number % servers.length]}:8730`, name, body, id, PATIENCE_MS);
  };
  return {
    open: async (name, number) => {
      const { status, headers } = await send(name, number, INITIALIZE);
      return String(headers['mcp-session-id'] ?? `none: ${status}`);
    },
    call: async (name, id, command, number) => {
      const { status, text } = await send(name, number, callOf(command), id);
      return readCall(status, text);
    },
    fateOf,
    ownValue: secretOf,
  };
}

function fateOf(error: unknown): Fate {
  if (error instanceof NotReached) return 'not run';
  return error instanceof Silent ? 'silent' : 'unknown';
}

type Marks = (name: string) => readonly number[];
const numbersOf = (lines: string) => lines.split('\n').filter(Boolean).map(Number);

/** What calls left in the workspaces, on the disks of both servers. */
async function marksOnDisks(): Promise<Marks> {
  const found = new Map<string, number[]>();
  for (const pod of ['cordon-0', 'cordon-1']) {
    const lines = await inPod(pod, 'sh', '-c', 'cd /srv/cordon/workspaces; grep -s . crowd*/ran || true');
    for (const line of lines.trim().split('\n')) {
      const [, name = '', number] = /^(\w+)\/ran:(\d+)$/.exec(line) ?? [];
      found.set(name, [...(found.get(name) ?? []), Number(number)]);
    }
  }
  return (name) => found.get(name) ?? [];
}

/** The same in the pods of users, as they are told by a call. */
async function marksInPods({ open, call }: Asked): Promise<Marks> {
  const found = new Map<string, number[]>();
  for (const [number, name] of FEW.entries()) {
    const { output, text } = await call(name, await open(name, number), 'cat ran', number);
    if (output === undefined) throw new Error(`${name} cannot be asked: ${text}`);
    found.set(name, numbersOf(output));
  }
  return (name) => found.get(name) ?? [];
}

async function restart(namespace: string, set: string): Promise<void> {
  await kubectl('--namespace', namespace, 'rollout', 'restart', `statefulset/${set}`);
  await rolledOut(namespace, set);
}

const isSome = (count: number) => count > 0;

describe('many users, and both servers restarted one after the other', () => {
  test(`${CROWD.length} with ${EACH} sessions each: no other’s value, nothing reported that was not, nothing without a word`, async () => {
    await bothServe();
    const ready = await readyServers(NAMESPACE, 'cordon-front');
    const load = new Load(asked(ready, ask), groups(CROWD), EACH);
    await load.open();
    const before = await load.run('before', TIMES.before);
    const during = await load.run('during', restart(NAMESPACE, 'cordon'));
    const after = await load.run('after', TIMES.after);
    keepFigures('load', { people: CROWD.length, sessions: load.sessions, atOnce: AT_ONCE, before, during, after });

    expect(load.contradictions(await marksOnDisks())).toEqual([]);
    expect(before).toMatchObject({ notRun: 0, unknown: 0, silent: 0 });
    expect([during.done, during.silent]).toEqual([expect.toSatisfy(isSome), 0]);
    expect([after.unknown, after.silent]).toEqual([0, 0]);
    expect(load.unserved).toEqual([]);
  }, 900_000);

  test(`${FEW.length} with a pod each: the same, as far as their pods are there to tell`, async () => {
    await FRONTS.bothServe();
    const ready = await readyServers(FRONT_NAMESPACE, 'cordon');
    const fronts = asked(ready, FRONTS.ask);
    const load = new Load(fronts, groups(FEW), FEW_EACH);
    await load.open();
    const before = await load.run('before', TIMES.before * 5);
    expect(load.contradictions(await marksInPods(fronts))).toEqual([]);
    const during = await load.run('during', restart(FRONT_NAMESPACE, 'front'));
    const after = await load.run('after', TIMES.after * 5);
    keepFigures('load-pods', { people: FEW.length, sessions: load.sessions, atOnce: AT_ONCE, before, during, after });

    // Pods end with their front, and what was in them.
    expect(load.contradictions(await marksInPods(fronts), false)).toEqual([]);
    expect(before).toMatchObject({ notRun: 0, unknown: 0, silent: 0 });
    expect([during.done, during.silent]).toEqual([expect.toSatisfy(isSome), 0]);
    expect([after.unknown, after.silent]).toEqual([0, 0]);
    expect(load.unserved).toEqual([]);
  }, 900_000);
});
