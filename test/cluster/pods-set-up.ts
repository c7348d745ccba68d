import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/project.ts';
import { LITTLE_CPU, secretFiles } from './deploy-set-up.ts';
import { API_SERVER, APPLIED, applyPods, FRONT_NAMESPACE, kubectl, PODS_APPLIED } from './kubernetes.ts';

/** deploy/pods on the cluster, in the way of docs/kubernetes.md, with the tokens and secrets of deploy/. */
export default async function setUp(): Promise<void> {
  const folder = PODS_APPLIED();
  mkdirSync(folder);
  cpSync(join(ROOT, 'deploy/pods'), join(folder, 'pods'), { recursive: true });
  cpSync(join(APPLIED(), 'deploy/tokens.jsonl'), join(folder, 'pods/tokens.jsonl'));
  const pod = join(folder, 'pods/pod.yaml');
  // Kubernetes 1.20 does not know user namespaces of pods yet, and these machines have small disks and two cores between them.
  const text = readFileSync(pod, 'utf8').replace(/^ *hostUsers: .*\n/m, '');
  writeFileSync(
    pod,
    text.replace('cpu: 100m', 'cpu: 10m').replace('ephemeral-storage: 100Mi', 'ephemeral-storage: 1Mi'),
  );
  writeForThisCluster(folder);
  await kubectl('create', 'namespace', FRONT_NAMESPACE);
  await kubectl(
    '--namespace',
    FRONT_NAMESPACE,
    'create',
    'secret',
    'generic',
    'cordon-secrets',
    ...secretFiles(folder),
  );
  await applyPods();
  await kubectl('--namespace', FRONT_NAMESPACE, 'rollout', 'status', 'statefulset/front', '--timeout', '150s').catch(
    async (error: Error) => {
      const said = await kubectl('--namespace', FRONT_NAMESPACE, 'logs', 'front-0', '--all-containers').catch(String);
      throw new Error(`${error.message}\n${said}`);
    },
  );
}

/** There is no kube-proxy, so the address of the Service `kubernetes` leads nowhere: the API server's own instead. */
function writeForThisCluster(folder: string): void {
  const { host, port } = API_SERVER;
  const env = `[{ name: KUBERNETES_SERVICE_HOST, value: "${host}" }, { name: KUBERNETES_SERVICE_PORT, value: "${port}" }]`;
  writeFileSync(
    join(folder, 'stateful-set.yaml'),
    `- { op: add, path: /spec/template/spec/containers/0/env, value: ${env} }\n${LITTLE_CPU}`,
  );
  const set = 'group: apps, version: v1, kind: StatefulSet, name: front';
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    `bases: [pods]
patchesJson6902:
  - { target: { ${set} }, path: stateful-set.yaml }
`,
  );
}
