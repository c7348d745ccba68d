import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { TokenStore } from '../../src/mcp/http/tokens.ts';
import { ROOT } from '../support/project.ts';
import { APPLIED, apply, kubectl, makeNamespaces, minorVersion, NAMESPACE, serveToken } from './kubernetes.ts';
import { CROWD, PEOPLE, quietSecretOf, secretOf } from './people.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    tokens: Readonly<Record<string, string>>;
    /** Of the crowd. */
    others: Readonly<Record<string, string>>;
  }
}

/** deploy/ on the cluster, in the way of docs/kubernetes.md. */
export default async function setUp(project: TestProject): Promise<() => Promise<unknown>> {
  const folder = APPLIED();
  mkdirSync(folder);
  cpSync(join(ROOT, 'deploy'), join(folder, 'deploy'), { recursive: true });
  project.provide('tokens', Object.fromEntries(PEOPLE.map((name) => [name, serveToken('add', name)])));
  // Not by the program, which takes a while to start.
  const store = new TokenStore(join(folder, 'deploy/tokens.jsonl'), 'shared');
  project.provide('others', Object.fromEntries(CROWD.map((name) => [name, store.add(name).token])));
  const remove = await makeNamespaces(NAMESPACE);
  await kubectl('--namespace', NAMESPACE, 'create', 'secret', 'generic', 'cordon-secrets', ...secretFiles(folder));
  writeForThisCluster(folder, await minorVersion());
  await apply();
  await rolledOut(NAMESPACE, 'cordon');
  return remove;
}

/** Both servers of a StatefulSet are there, or everything is said that tells why not. */
export async function rolledOut(namespace: string, set: string): Promise<void> {
  const of = (...words: string[]) => kubectl('--namespace', namespace, ...words).catch(String);
  await kubectl('--namespace', namespace, 'rollout', 'status', `statefulset/${set}`, '--timeout', '240s').catch(
    async ({ message }: Error) => {
      const told = await Promise.all([
        of('describe', 'pods'),
        of('get', 'events', '--sort-by=.lastTimestamp'),
        ...[0, 1].map((number) => of('logs', `${set}-${number}`, '--all-containers')),
      ]);
      throw new Error([message, ...told].join('\n'));
    },
  );
}

export function secretFiles(folder: string): string[] {
  return [...PEOPLE, ...CROWD].map((name) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, `sandboxed_envs:\n  OWN_KEY: ${secretOf(name)}\n  QUIET_KEY: ${quietSecretOf(name)}\n`, {
      mode: 0o600,
    });
    return `--from-file=users.${name}.yaml=${file}`;
  });
}

/** These machines share two cores, and a server has to find room again on the one that has its disk, whoever came there meanwhile. */
export const LITTLE_CPU =
  '- { op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 10m }\n';

/** Where it does not know them yet, without user namespaces of pods. */
function writeForThisCluster(folder: string, minor: number): void {
  const withoutUsers = minor < 30 ? '- { op: remove, path: /spec/template/spec/hostUsers }\n' : '';
  writeFileSync(join(folder, 'stateful-set.yaml'), `${withoutUsers}${LITTLE_CPU}`);
  const set = 'group: apps, version: v1, kind: StatefulSet, name: cordon';
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    `bases: [deploy]
patchesJson6902:
  - { target: { ${set} }, path: stateful-set.yaml }
${oldBudget(folder, 'cordon', minor)}${imagesOf()}`,
  );
}

/** Before 1.21 budgets for disruptions had another version. */
export function oldBudget(folder: string, name: string, minor: number): string {
  if (minor >= 21) return '';
  writeFileSync(join(folder, 'budget.yaml'), '- { op: replace, path: /apiVersion, value: policy/v1beta1 }\n');
  return `  - { target: { group: policy, version: v1, kind: PodDisruptionBudget, name: ${name} }, path: budget.yaml }\n`;
}

/** The image as the nodes know it, where that is another name. */
export function imagesOf(): string {
  const [, name, tag] = /^(.*):([^/]+)$/.exec(process.env.CORDON_TEST_IMAGE ?? '') ?? [];
  return name === undefined ? '' : `images: [{ name: localhost/cordon, newName: ${name}, newTag: "${tag}" }]\n`;
}
