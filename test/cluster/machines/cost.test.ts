import { describe, expect, test } from 'vitest';
import { inTurn } from '../../../bench/mcp/http-load.ts';
import { FRONTS, isReady } from '../client.ts';
import { keepFigures } from '../figures.ts';
import { eventually, kubectl, PODS_NAMESPACE } from '../kubernetes.ts';
import { ownFront, ownPods } from '../own-front.ts';
import { HERE } from '../people.ts';
import { counted, eachOf, idle } from './processor.ts';

const [CALLS, AT_ONCE, PODS] = [64, 8, 8];

/** For the page about scale: in processor time, and in what the API server is asked. */
describe('what it costs everything that has part in it', () => {
  test('a call in a warm pod asks for one exec, and writes nothing', async () => {
    const [origin] = await FRONTS.bothServe();
    const id = await FRONTS.open(HERE, origin);
    await FRONTS.call(HERE, id, 'true', origin);
    const [anyhow, before] = [await idle(), await counted()];
    const calls = await inTurn(CALLS, AT_ONCE, () => FRONTS.call(HERE, id, 'env | sort', origin));
    const each = eachOf(CALLS, before, await counted(), anyhow);
    expect(calls.filter(({ status, output }) => status !== 200 || output === undefined)).toEqual([]);
    keepFigures('call-in-pod', { ...each, atOnce: AT_ONCE });
    // A pod that waits or goes meanwhile is written about; a call is not.
    expect([each.execs, each.writes]).toEqual([1, expect.toSatisfy((writes: number) => writes < 1)]);
  });

  test('a pod that is made, and one that is removed', async () => {
    const [anyhow, before] = [await idle(), await counted()];
    const { server } = await ownFront((text) => text, '--warm-pods', String(PODS));
    const ready = await eventually(async () => {
      const pods = (await ownPods()).filter(({ status }) => isReady(status));
      expect(pods).toHaveLength(PODS);
      return pods;
    });
    const made = await counted();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    const names = ready.map(({ metadata }) => `pod/${metadata.name}`);
    await kubectl('--namespace', PODS_NAMESPACE, 'wait', '--for=delete', ...names, '--timeout=180s').catch(isGone);
    const removed = await counted();
    const seconds = ready
      .map(({ metadata, status }) => secondsUntilReady(metadata.creationTimestamp, status.conditions))
      .toSorted((a, b) => a - b);
    keepFigures('pod', {
      made: eachOf(PODS, before, made, anyhow),
      removed: eachOf(PODS, made, removed, anyhow),
      readySeconds: { median: seconds[PODS / 2], most: seconds.at(-1), atOnce: PODS },
    });
  });
});

/** One that went sooner than it was waited for. */
function isGone(error: Error): void {
  if (!error.message.includes('NotFound')) throw error;
}

function secondsUntilReady(created: string, conditions: { type: string; lastTransitionTime: string }[]): number {
  const ready = conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? created;
  return (Date.parse(ready) - Date.parse(created)) / 1000;
}
