import { describe, expect, test } from 'vitest';
import { createSecret, exportedPod, IMAGE, outputOfPod, saidBy, startPod } from './exported.ts';
import { eventually, inPod } from './kubernetes.ts';

interface Report {
  readonly level: string;
  readonly findings: readonly { check: string; state: string; found: string; means?: string; fix?: string }[];
}

/** `cordon doctor` as the command of a pod, with these settings of its container and of itself. */
async function examined(name: string, container: object = {}, spec: object = {}) {
  const command = { name: 'command', image: IMAGE, command: ['cordon', 'doctor', '--json'], ...container };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', ...spec, containers: [command] },
  };
  const { level, findings } = JSON.parse(await outputOfPod(name, JSON.stringify(pod))) as Report;
  return { level, of: (check: string) => findings.find((one) => one.check === check) };
}

const RESTRICTED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Those in which a container differs from a machine; all of them, with CORDON_TEST_ALL=1, take some minutes. */
const SOME = ['environment', 'processes', 'descriptors', 'files'].flatMap((group) => ['--only', group]);
const GROUPS = process.env.CORDON_TEST_ALL === '1' ? [] : SOME;
/** Node 20 may die of a signal that comes while it ends (uv__signal_event), when all is said: the report is what counts. */
const PROVE = ['sh', '-c', 'cordon prove --json "$@" || true', 'sh', ...GROUPS];
const isMany = (count: number) => count > 100;

describe('cordon in a pod', () => {
  test('doctor says of a usual pod what is missing, and with those lines the barrier stands', async () => {
    const usual = await examined('usual');
    expect(usual.level).toBe('filter');
    expect(usual.of('container')).toMatchObject({
      state: 'weaker',
      found: 'a pod of Kubernetes, with a token of its service account',
      fix: 'in the pod: automountServiceAccountToken: false',
    });
    expect(usual.of('barrier')).toMatchObject({
      state: 'missing',
      fix: 'in the pod: hostUsers: false; in the container: securityContext: { procMount: Unmasked }',
    });
    // Kubernetes 1.20 has no hostUsers.
    const fixed = await examined(
      'fixed',
      { securityContext: { procMount: 'Unmasked' } },
      { automountServiceAccountToken: false },
    );
    expect([fixed.level, fixed.of('container')]).toEqual([
      'barrier',
      { check: 'container', state: 'ok', found: 'a pod of Kubernetes' },
    ]);
  });

  test('doctor says of a restricted pod that commands are only filtered, and both settings that are in the way', async () => {
    const restricted = await examined('restricted', { securityContext: RESTRICTED });
    expect(restricted.level).toBe('filter');
    expect(restricted.of('barrier')).toMatchObject({
      state: 'missing',
      means: expect.stringContaining('PodSecurity `restricted` does not allow it, there commands are only filtered'),
      fix: 'in the pod: hostUsers: false; in the container: securityContext: { seccompProfile: { type: Unconfined }, procMount: Unmasked }',
    });
  });

  test('what cordon export writes has the barrier, and all that is promised holds there', async () => {
    await createSecret('proving', { API_TOKEN: 'x' });
    startPod('proving', exportedPod('proving', 'sh', '-c', 'echo ready; exec sleep 86400'));
    await eventually(async () => expect(await saidBy('proving')).toContain('ready'));
    const { level, findings } = JSON.parse(await inPod('proving', 'cordon', 'doctor', '--json')) as Report;
    expect([level, findings.filter(({ state }) => state === 'missing')]).toEqual(['barrier', []]);
    const proof = JSON.parse(await inPod('proving', ...PROVE));
    expect([proof.verdict, proof.complete]).toEqual(['held', true]);
    const [nothing, own] = proof.counts;
    expect([nothing.leaked, own.blocked]).toEqual([expect.toSatisfy(isMany), expect.toSatisfy(isMany)]);
  });
});
