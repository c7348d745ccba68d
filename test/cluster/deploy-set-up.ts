import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ROOT } from '../support/project.ts';
import { APPLIED, apply, kubectl, kubectlWith, labFolder, MACHINES, NAMESPACE, serveToken } from './kubernetes.ts';
import { PEOPLE, quietSecretOf, secretOf } from './people.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    tokens: Readonly<Record<string, string>>;
  }
}

/** deploy/ on the cluster, in the way of docs/kubernetes.md. */
export default async function setUp(project: TestProject): Promise<void> {
  const folder = APPLIED();
  mkdirSync(folder);
  cpSync(join(ROOT, 'deploy'), join(folder, 'deploy'), { recursive: true });
  project.provide('tokens', Object.fromEntries(PEOPLE.map((name) => [name, serveToken('add', name)])));
  kubectlWith(MACHINES.map(volumeOf).join('---\n'), 'apply', '--filename', '-');
  await kubectl('create', 'namespace', NAMESPACE);
  await kubectl('--namespace', NAMESPACE, 'create', 'secret', 'generic', 'cordon-secrets', ...secretFiles(folder));
  writeForThisCluster(folder);
  await apply();
  await kubectl('--namespace', NAMESPACE, 'rollout', 'status', 'statefulset/cordon', '--timeout', '150s').catch(
    async (error: Error) => {
      const found = await kubectl('--namespace', NAMESPACE, 'describe', 'pods');
      const said = await kubectl('--namespace', NAMESPACE, 'logs', 'cordon-0', '--all-containers').catch(String);
      throw new Error(`${error.message}\n${found}\n${said}`);
    },
  );
}

export function secretFiles(folder: string): string[] {
  return PEOPLE.map((name) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, `sandboxed_envs:\n  OWN_KEY: ${secretOf(name)}\n  QUIET_KEY: ${quietSecretOf(name)}\n`, {
      mode: 0o600,
    });
    return `--from-file=users.${name}.yaml=${file}`;
  });
}

/** A disk of a machine, which a cluster of others would make by itself. */
function volumeOf(machine: string): string {
  const folder = join(labFolder(), machine, 'var/cordon-volume');
  mkdirSync(folder, { recursive: true });
  const affinity = `{ key: kubernetes.io/hostname, operator: In, values: [${machine}] }`;
  return `apiVersion: v1
kind: PersistentVolume
metadata: { name: disk-of-${machine} }
spec:
  capacity: { storage: 20Gi }
  accessModes: [ReadWriteOnce]
  local: { path: /var/lib/cordon-volume }
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [${affinity}] }] } }
`;
}

/** These machines share two cores, and a server has to find room again on the one that has its disk, whoever came there meanwhile. */
export const LITTLE_CPU =
  '- { op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 10m }\n';

/** What Kubernetes 1.20 does not know yet: user namespaces of pods, and policy/v1. */
function writeForThisCluster(folder: string): void {
  writeFileSync(
    join(folder, 'stateful-set.yaml'),
    `- { op: remove, path: /spec/template/spec/hostUsers }\n${LITTLE_CPU}`,
  );
  writeFileSync(join(folder, 'policy.yaml'), '- { op: replace, path: /apiVersion, value: policy/v1beta1 }\n');
  const set = 'group: apps, version: v1, kind: StatefulSet, name: cordon';
  const budget = 'group: policy, version: v1, kind: PodDisruptionBudget, name: cordon';
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    `bases: [deploy]
patchesJson6902:
  - { target: { ${set} }, path: stateful-set.yaml }
  - { target: { ${budget} }, path: policy.yaml }
`,
  );
}
