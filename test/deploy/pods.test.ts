import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { readTemplate } from '../../src/launch/pods/template.ts';
import { openFolder } from '../support/project.ts';
import { SCHEMAS } from './schema.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const DEPLOY = fileURLToPath(new URL('../../deploy/pods', import.meta.url));
// biome-ignore lint/suspicious/noExplicitAny: looked at by the schema first
type Any = any;

const documentsIn = (file: string): Any[] =>
  parseAllDocuments(readFileSync(join(DEPLOY, file), 'utf8'), { strict: true, uniqueKeys: true }).map((one) => {
    expect(one.errors).toEqual([]);
    return one.toJS();
  });

const FILES = readdirSync(DEPLOY).filter((name) => name.endsWith('.yaml'));
const ALL = FILES.flatMap(documentsIn);
const all = (kind: string) => ALL.filter((document) => document.kind === kind);
const one = (kind: string) => all(kind)[0];
const front = () => one('StatefulSet').spec.template.spec;
const flags = (): Map<string, string> =>
  new Map(front().containers[0].args.map((word: string) => [word.split('=')[0], word.slice(word.indexOf('=') + 1)]));
const OTHER: Readonly<Record<string, string>> = { StatefulSet: 'Front', Kustomization: 'FrontKustomization' };

describe('deploy/pods', () => {
  const ajv = new Ajv({ strict: true });

  test.each(FILES)('%s has only what Kubernetes knows, and nothing that weakens it', (file) => {
    for (const document of documentsIn(file)) {
      const isRight = ajv.compile(SCHEMAS[OTHER[document.kind] ?? document.kind] as object);
      expect([document.kind, isRight(document), isRight.errors]).toEqual([document.kind, true, null]);
    }
  });

  test('the parts agree with each other', () => {
    const [kustomization, set, pod] = [one('Kustomization'), one('StatefulSet'), one('Pod')];
    const apart = ['kustomization.yaml', 'pod.yaml'];
    expect(kustomization.resources.toSorted()).toEqual(FILES.filter((name) => !apart.includes(name)).toSorted());
    const [tokens] = kustomization.secretGenerator;
    expect(statSync(join(DEPLOY, tokens.files[0])).size).toBe(0);
    expect(kustomization.configMapGenerator[0].files).toEqual(['pod.yaml']);
    expect(kustomization.images).toEqual([{ name: front().containers[0].image, newTag: version }]);
    expect(pod.spec.containers[0].image).toBe(`${front().containers[0].image}:${version}`);
    const [fronts, pods] = all('Namespace').map(({ metadata }) => metadata.name);
    for (const { kind, metadata } of [
      set,
      ...all('Service'),
      one('ServiceAccount'),
      one('PodDisruptionBudget'),
      all('NetworkPolicy')[0],
    ])
      expect([kind, metadata.namespace]).toEqual([kind, fronts]);
    for (const { kind, metadata } of [
      pod,
      one('Role'),
      one('RoleBinding'),
      one('ResourceQuota'),
      all('NetworkPolicy')[1],
    ])
      expect([kind, metadata.namespace]).toEqual([kind, pods]);
    for (const { namespace } of [...kustomization.secretGenerator, ...kustomization.configMapGenerator])
      expect(namespace).toBe(fronts);
    const { matchLabels } = set.spec.selector;
    expect(set.spec.template.metadata.labels).toEqual(matchLabels);
    for (const { spec } of all('Service')) expect(spec.selector).toEqual(matchLabels);
    expect(one('RoleBinding').subjects).toEqual([
      { kind: 'ServiceAccount', name: front().serviceAccountName, namespace: fronts },
    ]);
    expect(flags().get('--shard')).toBe(`host/${set.spec.replicas}`);
    const [headless] = all('Service').filter(({ spec }) => spec.clusterIP === 'None');
    expect(set.spec.serviceName).toBe(headless.metadata.name);
    expect(flags().get('--peers')).toBe(`http://${set.metadata.name}-{}.${headless.metadata.name}:8730`);
    expect(Number(flags().get('--drain'))).toBeLessThan(front().terminationGracePeriodSeconds);
    const mountOf = (name: string) =>
      front().containers[0].volumeMounts.find((mount: Any) => mount.name === name).mountPath;
    expect(flags().get('--pods')).toBe(`${mountOf('pod')}/pod.yaml`);
    expect(flags().get('--tokens')).toBe(`${mountOf('tokens')}/${tokens.files[0]}`);
  });

  test('the front may do with pods what it has to, and nothing else', () => {
    expect(all('Role').flatMap(({ rules }) => rules)).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
    ]);
    expect(all('ClusterRole').concat(all('ClusterRoleBinding'))).toEqual([]);
  });

  test('what would give a user more than is theirs is no manifest of a pod', () => {
    const readSpoilt = (change: (pod: Any) => void) => {
      const pod = structuredClone(one('Pod'));
      change(pod);
      const file = join(openFolder('pod'), 'pod.yaml');
      writeFileSync(file, stringify(pod));
      return () => readTemplate(file);
    };
    expect(readSpoilt(() => undefined)()).toMatchObject({ container: 'user', isPerUser: false });
    const withClaim = readSpoilt(({ spec }) => {
      spec.volumes[0] = { name: 'workspace', persistentVolumeClaim: { claimName: 'work-{user}' } };
    });
    expect(withClaim().isPerUser).toBe(true);
    const cases: readonly (readonly [string, (pod: Any) => void])[] = [
      ['no Pod', (pod) => Object.assign(pod, { kind: 'Job' })],
      ['namespace', ({ metadata }) => delete metadata.namespace],
      ['automountServiceAccountToken', ({ spec }) => delete spec.automountServiceAccountToken],
      ['enableServiceLinks', ({ spec }) => delete spec.enableServiceLinks],
      ['restartPolicy', ({ spec }) => delete spec.restartPolicy],
      ['namespaces with its node', ({ spec }) => Object.assign(spec, { hostPID: true })],
      ['share their processes', ({ spec }) => Object.assign(spec, { shareProcessNamespace: true })],
      ['privileged', ({ spec }) => Object.assign(spec.containers[0].securityContext, { privileged: true })],
      ['exactly one', ({ spec }) => spec.containers.push({ name: 'beside' })],
      ['cordon-launch', ({ spec }) => Object.assign(spec.containers[0], { command: ['sleep', '1'] })],
      ['--hold', ({ spec }) => Object.assign(spec.containers[0], { command: ['/bin/sleep', '1'] })],
      ['/workspace', ({ spec }) => spec.containers[0].volumeMounts.shift()],
      ['/run/cordon', ({ spec }) => spec.containers[0].volumeMounts.pop()],
      [
        'from a Secret',
        ({ spec }) =>
          Object.assign(spec.containers[0], {
            env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } }],
          }),
      ],
    ];
    for (const [words, change] of cases) expect(readSpoilt(change)).toThrow(words);
  });
});
