import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callOf } from '../mcp/http-support.ts';
import { ask, bothServe, call, isReady, open, originOf } from './client.ts';
import { keepFigures } from './figures.ts';
import { apply, eventually, get, inPod, kubectl, NAMESPACE, serveToken } from './kubernetes.ts';
import { HERE, LEAVING, quietSecretOf, secretOf, THERE } from './people.ts';

const filesOf = async (name: string, pod: string) =>
  (await inPod(pod, 'ls', `/srv/cordon/workspaces/${name}`)).split('\n');

const deletePod = (name: string) => kubectl('--namespace', NAMESPACE, 'delete', 'pod', name, '--wait=false');

describe('deploy/ on a cluster of two nodes', () => {
  test('a server on each, ready, with the barrier and without anything of the cluster', async () => {
    const { items } = await get('pods', '--selector', 'app.kubernetes.io/name=cordon');
    expect(new Set(items.map(({ spec }: { spec: { nodeName: string } }) => spec.nodeName)).size).toBe(2);
    expect(items.map(({ status }: { status: object }) => isReady(status))).toEqual([true, true]);
    for (const pod of ['cordon-0', 'cordon-1']) {
      const { level, findings } = JSON.parse(await inPod(pod, 'cordon', 'doctor', '--json'));
      expect(level).toBe('barrier');
      expect(findings.filter(({ state }: { state: string }) => state !== 'ok')).toEqual([
        // What a pod cannot have, and so without a word about what to do.
        { check: 'limits', state: 'weaker', found: expect.any(String), means: expect.stringContaining('each process') },
      ]);
      await expect(inPod(pod, 'ls', '/var/run/secrets/kubernetes.io')).rejects.toThrow('No such file');
    }
    const { subsets } = await get('endpoints', 'cordon-front');
    expect(subsets[0].addresses).toHaveLength(2);
  });

  test.each([
    [HERE, THERE],
    [THERE, HERE],
  ])('the token of %s holds at both, and a call gets its own secret, whichever is asked', async (name, other) => {
    const origins = await bothServe();
    for (const [at, origin] of origins.entries()) {
      const id = await open(name, origin);
      for (const asked of origins) {
        const { output = '' } = await call(name, id, 'echo "$OWN_KEY"; env | cut -d = -f 1', asked);
        expect(output.split('\n')[0]).toBe(secretOf(name));
        expect(output).not.toMatch(/KUBERNETES|CORDON_/);
      }
      expect((await call(other, id, 'echo taken', origins[1 - at] as string)).status).toBe(404);
    }
  });

  test('a call finds no secret of anybody else, in no file and no process', async () => {
    const [origin] = await bothServe();
    const id = await open(HERE, origin);
    const files = 'grep -rsohaE "canary-[0-9a-f]{24}" / --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev';
    const processes = 'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -oE "canary-[0-9a-f]{24}"';
    // Told by their hashes: what is printed is kept.
    const hashes = 'sort -u | while read -r value; do printf %s "$value" | sha256sum | cut -d " " -f 1; done';
    const { output } = await call(HERE, id, `{ ${files}; ${processes}; } | ${hashes}`, origin);
    const hashOf = (value: string) => createHash('sha256').update(value).digest('hex');
    expect(output?.split('\n').toSorted()).toEqual([secretOf(HERE), quietSecretOf(HERE)].map(hashOf).toSorted());
  });

  test('a token that is taken back is refused by both', async () => {
    const origins = await bothServe();
    const statusAt = async (origin: string) => (await ask(origin, LEAVING, callOf('true'), 'none')).status;
    for (const origin of origins) expect(await statusAt(origin)).toBe(404);
    serveToken('rm', LEAVING);
    await apply();
    const selector = ['--selector', 'app.kubernetes.io/name=cordon'];
    await kubectl(
      '--namespace',
      NAMESPACE,
      'annotate',
      'pod',
      ...selector,
      `cordon/tokens=${Date.now()}`,
      '--overwrite',
    );
    const touched = performance.now();
    for (const origin of origins) await eventually(async () => expect(await statusAt(origin)).toBe(401));
    keepFigures('revoked', { seconds: (performance.now() - touched) / 1000 });
    expect(await originOf(0)).toBe(origins[0]);
  });

  test('a server that is deleted lets a call come to its end', async () => {
    const [first] = await bothServe();
    const id = await open(THERE, first);
    const script = 'touch running; while [ ! -e go ]; do sleep 0.1; done; touch whole; echo whole';
    const running = call(THERE, id, script, first);
    await eventually(() => inPod('cordon-1', 'rm', `/srv/cordon/workspaces/${THERE}/running`));
    await deletePod('cordon-1');
    await eventually(async () => expect((await get('pod', 'cordon-1')).metadata.deletionTimestamp).toBeDefined());
    await inPod('cordon-1', 'touch', `/srv/cordon/workspaces/${THERE}/go`);
    expect((await running).output).toBe('whole');
    await bothServe();
    expect(await filesOf(THERE, 'cordon-1')).toContain('whole');
  });
});
