import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canary, filesBelow, programsWith } from '../../support/leaks.ts';
import { bothServe, call, FRONTS, open } from '../client.ts';
import { createSecret, exportedPod, IMAGE, saidBy, startPod } from '../exported.ts';
import { eventually, inPod } from '../kubernetes.ts';
import { HERE, quietSecretOf, THERE } from '../people.ts';
import { inUsersPod, podOf } from '../users-pods.ts';
import { lab, labFolder, MACHINES } from './lab.ts';

/**
 * Files that hold a value, of all that the two machines have on their disks (etcd, audit log, containerd's store and layers, kubelet's
 * folders, logs of everything) and of what their services keep below /run. What lies in memory for a pod alone is in neither.
 */
async function filesWith(value: string): Promise<string[]> {
  // Volumes of pods lie on a disk of their own (lab/machine.bash).
  const disks = MACHINES.map((machine) => join(labFolder(), machine));
  const onDisk = filesBelow(disks, value);
  const search = 'find /run /var/lib/kubelet -xdev -type f -exec grep -laF -- "$0" {} + || true';
  const running = await Promise.all(MACHINES.map((machine) => lab('inside', machine, 'sh', '-c', search, value)));
  return [...onDisk, ...running.flatMap((text) => text.split('\n')).filter((line) => line !== '')];
}

const plainPod = (name: string, env: object) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'command', image: IMAGE, command: ['sleep', '86400'], env: [{ name: 'A_TOKEN', ...env }] }],
    },
  });

describe('a value on a cluster', () => {
  test.each([
    [HERE, 0],
    [THERE, 1],
  ] as const)('of a session of %s is in no file of the machines, and in no process but the call', async (name, at) => {
    const [value, pod, origin] = [quietSecretOf(name), `cordon-${at}`, (await bothServe())[at]];
    const workspace = `/srv/cordon/workspaces/${name}`;
    const id = await open(name, origin);
    const script = 'printf %s "$QUIET_KEY" | wc -c; touch running; while [ ! -e seen ]; do sleep 0.1; done; rm seen';
    const running = call(name, id, script, origin);
    await eventually(() => inPod(pod, 'rm', `${workspace}/running`));
    expect(programsWith(value, 'environ').filter((program) => program !== 'sleep')).toEqual(['bash']);
    expect(programsWith(value, 'cmdline')).toEqual([]);
    expect(await inPod(pod, 'cat', '/proc/1/environ')).not.toContain(value);
    expect(await filesWith(value)).toEqual([]);
    await inPod(pod, 'touch', `${workspace}/seen`);
    expect((await running).output).toBe(String(value.length));
    expect(await filesWith(value)).toEqual([]);
  });

  test.each([
    [HERE, 0],
    [THERE, 1],
  ] as const)(
    'of a call in the pod of %s is in no file of the machines, and with nobody but the call',
    async (name, at) => {
      const [value, origin] = [quietSecretOf(name), (await FRONTS.bothServe())[at]];
      const id = await FRONTS.open(name, origin);
      const pod = await podOf(name, id, origin);
      const script = 'printf %s "$QUIET_KEY" | wc -c; touch running; while [ ! -e seen ]; do sleep 0.1; done; rm seen';
      const running = FRONTS.call(name, id, script, origin);
      await eventually(() => inUsersPod(pod, 'rm', '/workspace/running'));
      expect(programsWith(value, 'environ').filter((program) => program !== 'sleep')).toEqual(['bash']);
      expect(programsWith(value, 'cmdline')).toEqual([]);
      expect(await inUsersPod(pod, 'cat', '/proc/1/environ')).not.toContain(value);
      expect(await filesWith(value)).toEqual([]);
      await inUsersPod(pod, 'touch', '/workspace/seen');
      expect((await running).output).toBe(String(value.length));
      expect(await filesWith(value)).toEqual([]);
      // What the audit log has of such a call: the program, and where a mark lies.
      const audit = await lab(
        'inside',
        'one',
        'grep',
        `/pods/${pod}/exec.*system:serviceaccount`,
        '/var/log/audit.log',
      );
      expect(audit).toContain('cordon-launch');
      expect(audit).not.toMatch(/touch|QUIET|bash/);
    },
  );

  test('of a pod that cordon export wrote is with its command alone', async () => {
    const value = canary();
    await createSecret('exported', { API_TOKEN: value });
    startPod('exported', exportedPod('exported', 'sh', '-c', 'printf %s "$API_TOKEN" | wc -c; exec sleep 86400'));
    await eventually(async () => expect(await saidBy('exported')).toBe(`${value.length}\n`));
    expect(programsWith(value, 'environ')).toEqual(['sleep']);
    expect(programsWith(value, 'cmdline')).toEqual([]);
    // The launcher lets nobody but root look, and root was looked for above.
    await expect(inPod('exported', 'cat', '/proc/1/environ')).rejects.toThrow('Permission denied');
    expect(await filesWith(value)).toEqual([]);
  });

  test('would be found: a variable from a Secret is in the files of containerd and in the first process', async () => {
    const value = canary();
    await createSecret('leaky', { API_TOKEN: value });
    startPod('leaky', plainPod('leaky', { valueFrom: { secretKeyRef: { name: 'leaky', key: 'API_TOKEN' } } }));
    await eventually(async () => expect(await inPod('leaky', 'cat', '/proc/1/environ')).toContain(value));
    const found = await filesWith(value);
    expect(found).toContainEqual(expect.stringMatching(/containerd\/.*\/meta\.db$/));
    expect(found).toContainEqual(expect.stringMatching(/^\/run\/containerd\/.*\/config\.json$/));
    expect(programsWith(value, 'environ')).toContain('sleep');
  });

  test('would be found: one that stands in a pod is in etcd and in the audit log', async () => {
    const value = canary();
    startPod('literal', plainPod('literal', { value }));
    const found = await filesWith(value);
    expect(found).toContainEqual(expect.stringMatching(/etcd-lab\/member\/(wal|snap)\//));
    expect(found).toContainEqual(expect.stringMatching(/\/var\/log\/audit\.log$/));
  });
});
