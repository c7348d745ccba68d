import { describe, expect, onTestFinished, test } from 'vitest';
import { isRunning, uniqueSleep } from '../../mcp/support.ts';
import { bothServe, call, open } from '../client.ts';
import { eventually, get, inPod, kubectl, NAMESPACE } from '../kubernetes.ts';
import { HERE, secretOf, THERE } from '../people.ts';
import { lab } from './lab.ts';

const GONE_MS = 30_000;

describe('faults of the cluster', () => {
  test('a server is gone in mid-call: nothing is reported as done, and the next call works', async () => {
    const [first] = await bothServe();
    const [id, other, sleep] = [await open(THERE, first), await open(HERE, first), uniqueSleep()];
    const running = call(THERE, id, `touch began; sleep ${sleep}; touch over; echo over`, first);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    await kubectl('--namespace', NAMESPACE, 'delete', 'pod', 'cordon-1', '--wait=false', '--grace-period=0', '--force');
    const { output, text } = await running;
    expect([output, text]).toEqual([undefined, expect.stringContaining('it is unknown whether the call ran')]);
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    expect((await call(HERE, other, 'echo "$OWN_KEY"', first)).output).toBe(secretOf(HERE));
    await bothServe();
    const fresh = await open(THERE, first);
    expect((await call(THERE, fresh, 'echo "$OWN_KEY"; ls', first)).output?.split('\n')).toEqual(
      expect.arrayContaining([secretOf(THERE), 'began']),
    );
    expect(await inPod('cordon-1', 'ls', `/srv/cordon/workspaces/${THERE}`)).not.toContain('over');
  });

  test('the API server is gone for half a minute: calls go on at both, and from one to the other', async () => {
    const origins = await bothServe();
    const ids = await Promise.all([HERE, THERE].map((name) => open(name, origins[0])));
    await lab('api-server', 'stop');
    onTestFinished(() => bothServe().then(() => undefined));
    const until = Date.now() + GONE_MS;
    try {
      await expect(get('pods')).rejects.toThrow();
      // Each takes a while, or there would be more of them than a user may ask for.
      do {
        for (const origin of origins)
          for (const [at, name] of [HERE, THERE].entries())
            expect(await call(name, ids[at] as string, 'sleep 0.5; echo "$OWN_KEY"', origin)).toMatchObject({
              status: 200,
              output: secretOf(name),
            });
      } while (Date.now() < until);
    } finally {
      await lab('api-server', 'start');
    }
  });

  test('a node is gone in mid-call: that nobody knows is said, the other goes on, and afterwards all is well', async () => {
    const [first] = await bothServe();
    const [id, other, sleep] = [await open(THERE, first), await open(HERE, first), uniqueSleep()];
    const running = call(THERE, id, `touch before; sleep ${sleep}; touch over; echo over`, first);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    const { spec } = await get('pod', 'cordon-1');
    await lab('cut', spec.nodeName);
    try {
      const { output, text } = await running;
      expect([output, text]).toEqual([undefined, expect.stringContaining('it is unknown whether the call ran')]);
      const away = await call(THERE, id, 'touch away', first);
      expect([away.status, away.text]).toEqual([503, expect.stringContaining('nothing was run')]);
      expect((await call(HERE, other, 'echo "$OWN_KEY"', first)).output).toBe(secretOf(HERE));
    } finally {
      await lab('mend', spec.nodeName);
    }
    await bothServe();
    const fresh = await open(THERE, first);
    const { output = '' } = await call(THERE, fresh, 'echo "$OWN_KEY"; ls', first);
    expect(output.split('\n')).toEqual(expect.arrayContaining([secretOf(THERE), 'before']));
    expect(output.split('\n')).not.toContain('away');
  });
});
