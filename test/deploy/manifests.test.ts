import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Place } from '../mcp/support.ts';
import { openFolder } from '../support/project.ts';
import { SCHEMAS } from './schema.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));
// biome-ignore lint/suspicious/noExplicitAny: looked at by the schema first
type Any = any;

const documentsIn = (file: string): Any[] =>
  parseAllDocuments(readFileSync(join(DEPLOY, file), 'utf8'), { strict: true, uniqueKeys: true }).map((one) => {
    expect(one.errors).toEqual([]);
    return one.toJS();
  });

const FILES = readdirSync(DEPLOY).filter((name) => name.endsWith('.yaml'));
const ALL = FILES.flatMap(documentsIn);
const one = (kind: string) => ALL.filter((document) => document.kind === kind)[0];
const pod = () => one('StatefulSet').spec.template.spec;
const flags = (): Map<string, string> =>
  new Map(pod().containers[0].args.map((word: string) => [word.split('=')[0], word.slice(word.indexOf('=') + 1)]));

describe('deploy/', () => {
  const ajv = new Ajv({ strict: true });

  test.each(FILES)('%s has only what Kubernetes knows, and nothing that weakens it', (file) => {
    for (const document of documentsIn(file)) {
      const isRight = ajv.compile(SCHEMAS[document.kind] as object);
      expect([document.kind, isRight(document), isRight.errors]).toEqual([document.kind, true, null]);
    }
  });

  test('what is spelled wrongly, or would weaken it, is found', () => {
    const isRight = ajv.compile(SCHEMAS.StatefulSet as object);
    const spoilt = (change: (spec: Any) => void) => {
      const set = structuredClone(one('StatefulSet'));
      change(set.spec.template.spec);
      return isRight(set);
    };
    expect(spoilt(() => undefined)).toBe(true);
    for (const change of [
      (spec: Any) => delete spec.automountServiceAccountToken,
      (spec: Any) => delete spec.enableServiceLinks,
      (spec: Any) => Object.assign(spec, { hostNetwork: true }),
      (spec: Any) => Object.assign(spec, { serviceAccountName: 'x' }),
      (spec: Any) => Object.assign(spec.containers[0], { env: [{ name: 'A_TOKEN', value: 'x' }] }),
      (spec: Any) => Object.assign(spec.containers[0].securityContext, { privileged: true }),
      (spec: Any) => Object.assign(spec.containers[0].securityContext, { procMout: 'Unmasked' }),
      (spec: Any) => spec.volumes.push({ name: 'host', hostPath: { path: '/' } }),
    ])
      expect([String(change), spoilt(change)]).toEqual([String(change), false]);
  });

  test('the parts agree with each other', () => {
    const [kustomization, set] = [one('Kustomization'), one('StatefulSet')];
    expect(kustomization.resources.toSorted()).toEqual(
      FILES.filter((name) => name !== 'kustomization.yaml').toSorted(),
    );
    for (const file of kustomization.secretGenerator[0].files) expect(statSync(join(DEPLOY, file)).size).toBe(0);
    expect(kustomization.images).toEqual([{ name: pod().containers[0].image, newTag: version }]);
    expect(one('Namespace').metadata.name).toBe(kustomization.namespace);
    const { matchLabels } = set.spec.selector;
    expect(set.spec.template.metadata.labels).toEqual(matchLabels);
    for (const { spec } of ALL.filter(({ kind }) => kind === 'Service')) expect(spec.selector).toEqual(matchLabels);
    expect(one('NetworkPolicy').spec.podSelector).toEqual({ matchLabels });
    expect(flags().get('--shard')).toBe(`host/${set.spec.replicas}`);
    const [headless] = ALL.filter(({ kind, spec }) => kind === 'Service' && spec.clusterIP === 'None');
    expect(set.spec.serviceName).toBe(headless.metadata.name);
    const [{ containerPort }] = pod().containers[0].ports;
    expect(flags().get('--peers')).toBe(`http://${set.metadata.name}-{}.${headless.metadata.name}:${containerPort}`);
    expect(flags().get('--listen')).toBe(`0.0.0.0:${containerPort}`);
    expect(Number(flags().get('--drain'))).toBeLessThan(pod().terminationGracePeriodSeconds);
    const volumes = [...pod().volumes, ...set.spec.volumeClaimTemplates.map((claim: Any) => claim.metadata)];
    for (const container of [...pod().containers, ...pod().initContainers])
      for (const mount of container.volumeMounts)
        expect(volumes.map((volume: Any) => volume.name)).toContain(mount.name);
    const tokens = pod().containers[0].volumeMounts.find((mount: Any) => mount.name === 'tokens');
    expect(flags().get('--tokens')).toBe(`${tokens.mountPath}/${kustomization.secretGenerator[0].files[0]}`);
  });

  test('its arguments are those of cordon serve, which starts with them on a machine of that name', async () => {
    const place = new Place('cordon-test');
    const elsewhere: Readonly<Record<string, string>> = {
      '--listen': '127.0.0.1:0',
      '--workspaces': place.workspaces,
      '--tokens': join(place.home, 'tokens.jsonl'),
    };
    const words = [...flags()].map(([flag, value]) => {
      const given = elsewhere[flag] ?? value;
      return given === flag ? flag : `${flag}=${given}`;
    });
    const named = ['unshare', '-ru', 'sh', '-c', 'hostname cordon-1 && exec "$@"', 'sh'];
    const [program, ...first] = pod().containers[0].command;
    expect(program).toBe('cordon');
    const server = place.start([...first, ...words], {}, named);
    await server.says(/listening on/);
  });

  test('secrets of a mounted Secret become files that only their owner may read', () => {
    const [from, to] = [openFolder('mounted'), openFolder('home')];
    writeFileSync(join(from, 'secrets.yaml'), 'for: all\n', { mode: 0o644 });
    writeFileSync(join(from, 'users.a.b@c.yaml'), 'for: one\n', { mode: 0o644 });
    writeFileSync(join(from, 'other.yaml'), 'x');
    mkdirSync(join(from, '..data'));
    const { stderr, status } = spawnSync('bash', [join(DEPLOY, 'place-secrets'), from, to], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('other.yaml is not used')]);
    const found = execFileSync('find', [to, '-type', 'f', '-printf', '%m %P\n'], { encoding: 'utf8' });
    expect(found.trim().split('\n').sort()).toEqual(['600 secrets.yaml', '600 users/a.b@c/secrets.yaml']);
    expect(readFileSync(join(to, 'users/a.b@c/secrets.yaml'), 'utf8')).toBe('for: one\n');
  });
});
