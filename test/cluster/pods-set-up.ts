import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/project.ts';
import { imagesOf, LITTLE_CPU, oldBudget, rolledOut, secretFiles } from './deploy-set-up.ts';
import { IMAGE } from './exported.ts';
import {
  APPLIED,
  applyPods,
  FRONT_NAMESPACE,
  kubectl,
  makeNamespaces,
  minorVersion,
  PODS_APPLIED,
  PODS_NAMESPACE,
} from './kubernetes.ts';

/** deploy/pods on the cluster, in the way of docs/kubernetes.md, with the tokens and secrets of deploy/. */
export default async function setUp(): Promise<() => Promise<unknown>> {
  const folder = PODS_APPLIED();
  mkdirSync(folder);
  cpSync(join(ROOT, 'deploy/pods'), join(folder, 'pods'), { recursive: true });
  cpSync(join(APPLIED(), 'deploy/tokens.jsonl'), join(folder, 'pods/tokens.jsonl'));
  const minor = await minorVersion();
  changeManifest(join(folder, 'pods/pod.yaml'), minor);
  writeForThisCluster(folder, minor);
  const remove = await makeNamespaces(FRONT_NAMESPACE, PODS_NAMESPACE);
  const words = ['create', 'secret', 'generic', 'cordon-secrets', ...secretFiles(folder)];
  await kubectl('--namespace', FRONT_NAMESPACE, ...words);
  await applyPods();
  await rolledOut(FRONT_NAMESPACE, 'front');
  return remove;
}

/** Where user namespaces of pods are not known yet they are left out, and little is asked of machines that may be small. */
function changeManifest(path: string, minor: number): void {
  const text = readFileSync(path, 'utf8')
    .replace(minor < 30 ? /^ *hostUsers: .*\n/m : /^$/, '')
    .replace(/image: localhost\/cordon:.*/, `image: ${IMAGE}`)
    .replace('cpu: 100m', 'cpu: 10m')
    .replace('ephemeral-storage: 100Mi', 'ephemeral-storage: 1Mi');
  writeFileSync(path, text);
}

/** Where there is no kube-proxy the address of the Service `kubernetes` leads nowhere: the API server's own instead. */
function writeForThisCluster(folder: string, minor: number): void {
  const [host, port] = (process.env.CORDON_TEST_API_SERVER ?? '').split(':');
  const env = `[{ name: KUBERNETES_SERVICE_HOST, value: "${host}" }, { name: KUBERNETES_SERVICE_PORT, value: "${port}" }]`;
  const address =
    port === undefined ? '' : `- { op: add, path: /spec/template/spec/containers/0/env, value: ${env} }\n`;
  writeFileSync(join(folder, 'stateful-set.yaml'), `${address}${LITTLE_CPU}`);
  const set = 'group: apps, version: v1, kind: StatefulSet, name: front';
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    `bases: [pods]
patchesJson6902:
  - { target: { ${set} }, path: stateful-set.yaml }
${oldBudget(folder, 'cordon-front', minor)}${imagesOf()}`,
  );
}
