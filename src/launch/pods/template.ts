import { parse } from 'yaml';
import { CordonError } from '../../host/errors.ts';
import { textIn } from '../../host/files.ts';
import { INSIDE } from '../../plan/places/index.ts';

/** Where a pod keeps the mark of its one user; nothing else is there. */
export const OWN_FOLDER = '/run/cordon';

// biome-ignore lint/suspicious/noExplicitAny: a manifest as people write it; what matters of it is looked at below
type Manifest = any;

/** The manifest that every pod is made of, as the operator wrote it. */
export interface PodTemplate {
  readonly namespace: string;
  readonly container: string;
  /** The launcher's file inside, which is what keeps the pod alive too. */
  readonly launcher: string;
  /** Its volumes name the user, so that it can only be made for one. */
  readonly isPerUser: boolean;
  readonly manifest: Manifest;
}

const USER = '{user}';

export function readTemplate(file: string): PodTemplate {
  const manifest = manifestIn(file);
  const wrong = wrongWith(manifest);
  if (wrong !== undefined)
    throw new CordonError('pods', `no pod can be made of this: ${wrong}`, {
      where: file,
      hint: 'deploy/pods/pod.yaml has all that is needed',
    });
  const [container] = manifest.spec.containers;
  return {
    namespace: manifest.metadata.namespace,
    container: container.name,
    launcher: container.command[0],
    isPerUser: JSON.stringify([manifest.spec.volumes, container.volumeMounts]).includes(USER),
    manifest,
  };
}

function manifestIn(file: string): Manifest {
  const text = textIn(file);
  if (text === '') throw new CordonError('pods', 'the manifest of a pod cannot be read, or is empty', { where: file });
  try {
    return parse(text);
  } catch {
    throw new CordonError('pods', 'the manifest of a pod is no YAML', { where: file });
  }
}

/** What would give a command more than its user's, or leave the front without its ways in. */
function wrongWith(manifest: Manifest): string | undefined {
  const spec = manifest?.spec ?? {};
  const containers: Manifest[] = Array.isArray(spec.containers) ? spec.containers : [];
  const all: Manifest[] = [...containers, ...(Array.isArray(spec.initContainers) ? spec.initContainers : [])];
  const [first] = containers;
  const mounted = (path: string) => first?.volumeMounts?.some((mount: Manifest) => mount?.mountPath === path) === true;
  const tests: readonly (readonly [boolean, string])[] = [
    [manifest?.kind !== 'Pod', 'it is no Pod'],
    [typeof manifest?.metadata?.namespace !== 'string', 'metadata.namespace says nothing'],
    [containers.length !== 1, 'it has not exactly one container'],
    [!/^\/[^\0]+$/.test(first?.command?.[0] ?? ''), 'command of its container is not the path of cordon-launch'],
    [first?.command?.[1] !== '--hold', 'command of its container is not cordon-launch --hold'],
    [first?.workingDir !== INSIDE.workspace, `workingDir of its container is not ${INSIDE.workspace}`],
    [!mounted(INSIDE.workspace), `nothing is mounted at ${INSIDE.workspace}`],
    [!mounted(OWN_FOLDER), `nothing is mounted at ${OWN_FOLDER}`],
    [spec.automountServiceAccountToken !== false, 'automountServiceAccountToken is not false'],
    [spec.enableServiceLinks !== false, 'enableServiceLinks is not false'],
    [spec.restartPolicy !== 'Never', 'restartPolicy is not Never: what is started anew would have lost whose it is'],
    [[spec.hostNetwork, spec.hostPID, spec.hostIPC].includes(true), 'it shares namespaces with its node'],
    [spec.shareProcessNamespace === true, 'its containers share their processes'],
    [all.some((one) => one?.securityContext?.privileged === true), 'a container is privileged'],
    [all.some(hasSecret), 'a container has variables from a Secret, which every user would have'],
  ];
  return tests.find(([isSo]) => isSo)?.[1];
}

const hasSecret = (container: Manifest) => JSON.stringify([container?.env, container?.envFrom]).includes('ecret');

export interface PodSettings {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Set where the template is for one user. */
  readonly user: string | undefined;
  /** Nodes that are not to be used. */
  readonly avoid: readonly string[];
}

export function podOf({ manifest }: PodTemplate, { name, labels, user, avoid }: PodSettings): object {
  const { metadata, spec } = structuredClone(manifest);
  const named = (part: object | undefined) => (user === undefined ? part : withUser(part, user));
  const [container] = spec.containers;
  return {
    ...manifest,
    metadata: { ...metadata, name, labels: { ...metadata.labels, ...labels } },
    spec: {
      ...spec,
      volumes: named(spec.volumes),
      containers: [{ ...container, volumeMounts: named(container.volumeMounts) }],
      ...(avoid.length === 0 ? {} : { affinity: { ...spec.affinity, nodeAffinity: elsewhere(avoid) } }),
    },
  };
}

const withUser = (part: object | undefined, user: string) =>
  JSON.parse(JSON.stringify(part ?? []), (_key, value) =>
    typeof value === 'string' ? value.replaceAll(USER, user) : value,
  );

const elsewhere = (avoid: readonly string[]) => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [
      { matchFields: avoid.map((node) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] })) },
    ],
  },
});
