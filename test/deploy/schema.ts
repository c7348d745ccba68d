// The parts of Kubernetes' API that deploy/ uses, and nothing else: a name that is spelled wrongly, or at the wrong place, is refused here as it
// would be by the API server, which the tests do not have.
type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string', minLength: 1 };
const yes = { const: true };
const no = { const: false };
const whole = { type: 'integer', minimum: 0 };
const name = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' };
const labels = { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } };
const quantity = { type: 'string', pattern: '^[0-9]+(m|[KMG]i)?$' };
const port = { type: 'integer', minimum: 1, maximum: 65535 };
const list = (items: Schema): Schema => ({ type: 'array', minItems: 1, items });
const map = (properties: Schema, required = Object.keys(properties)): Schema => ({
  ...{ type: 'object', properties, required },
  additionalProperties: false,
});

const selector = map({ matchLabels: labels });
const object = (apiVersion: string, kind: string, rest: Schema): Schema =>
  map({
    ...{ apiVersion: { const: apiVersion }, kind: { const: kind } },
    metadata: map({ name, namespace: name, labels }, ['name']),
    ...rest,
  });

/** What the barrier needs, and no more than that. */
const containerSecurity = (more: Schema) =>
  map({
    ...{ allowPrivilegeEscalation: no, readOnlyRootFilesystem: yes },
    capabilities: map({ drop: { const: ['ALL'] } }),
    ...more,
  });

const probe = map(
  {
    httpGet: map({ path: text, port: text, httpHeaders: list(map({ name: text, value: text })) }),
    periodSeconds: whole,
    timeoutSeconds: whole,
  },
  ['httpGet'],
);
const mounts = list(
  map({ name, mountPath: { type: 'string', pattern: '^/' }, subPath: text, readOnly: yes }, ['name', 'mountPath']),
);
const ofImage = { name, image: text, imagePullPolicy: { const: 'IfNotPresent' }, command: list(text) };

const spread = list(
  map({ maxSkew: whole, topologyKey: text, whenUnsatisfiable: { const: 'ScheduleAnyway' }, labelSelector: selector }),
);
const served = (security: Schema) =>
  map({
    ...ofImage,
    args: list(text),
    ports: list(map({ name, protocol: { enum: ['TCP'] }, containerPort: port })),
    securityContext: containerSecurity(security),
    ...{ readinessProbe: probe, livenessProbe: probe },
    resources: map({ requests: map({ cpu: quantity, memory: quantity }), limits: map({ memory: quantity }) }),
    volumeMounts: mounts,
  });
const inMemory = map({ name, emptyDir: map({ medium: { const: 'Memory' }, sizeLimit: quantity }) });
const ofSecret = map({
  name,
  secret: map({ secretName: name, defaultMode: { const: 0o440 }, optional: yes }, ['secretName', 'defaultMode']),
});

const pod = map({
  ...{ automountServiceAccountToken: no, enableServiceLinks: no, hostUsers: no },
  terminationGracePeriodSeconds: whole,
  securityContext: map({
    ...{ runAsNonRoot: yes, runAsUser: { const: 1000 }, runAsGroup: { const: 1000 }, fsGroup: { const: 1000 } },
    fsGroupChangePolicy: { const: 'OnRootMismatch' },
  }),
  topologySpreadConstraints: spread,
  initContainers: list(map({ ...ofImage, securityContext: containerSecurity({}), volumeMounts: mounts })),
  containers: list(served({ procMount: { const: 'Unmasked' } })),
  volumes: list({ oneOf: [inMemory, ofSecret] }),
});

/** A front: an account of its own, nothing that the strictest profile forbids, and no command ever. */
const front = map({
  ...{ serviceAccountName: name, automountServiceAccountToken: yes, enableServiceLinks: no },
  terminationGracePeriodSeconds: whole,
  securityContext: map({
    ...{ runAsNonRoot: yes, runAsUser: { const: 1000 }, runAsGroup: { const: 1000 }, fsGroup: { const: 1000 } },
    seccompProfile: { const: { type: 'RuntimeDefault' } },
  }),
  topologySpreadConstraints: spread,
  initContainers: list(map({ ...ofImage, securityContext: containerSecurity({}), volumeMounts: mounts })),
  containers: list(served({})),
  volumes: list({ oneOf: [inMemory, ofSecret, map({ name, configMap: map({ name }) })] }),
});

/** What each user's pod is made of. */
const usersPod = map({
  ...{ automountServiceAccountToken: no, enableServiceLinks: no, hostUsers: no, restartPolicy: { const: 'Never' } },
  terminationGracePeriodSeconds: whole,
  securityContext: map({
    ...{ runAsNonRoot: yes, runAsUser: { const: 1000 }, runAsGroup: { const: 1000 }, fsGroup: { const: 1000 } },
  }),
  containers: list(
    map({
      ...ofImage,
      workingDir: { const: '/workspace' },
      securityContext: containerSecurity({ procMount: { const: 'Unmasked' } }),
      resources: map({
        requests: map({ cpu: quantity, memory: quantity, 'ephemeral-storage': quantity }),
        limits: map({ memory: quantity, 'ephemeral-storage': quantity }),
      }),
      volumeMounts: mounts,
    }),
  ),
  volumes: list({ oneOf: [inMemory, map({ name, emptyDir: map({ sizeLimit: quantity }) })] }),
});

const peers = list(map({ podSelector: selector, namespaceSelector: { oneOf: [selector, map({})] } }, ['podSelector']));
const ports = list(map({ protocol: { enum: ['TCP', 'UDP'] }, port }));

const generated = list(map({ name, namespace: name, files: list(text) }, ['name', 'files']));
const images = list(map({ name: text, newTag: text }));

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Namespace: object('v1', 'Namespace', {}),
  Service: object('v1', 'Service', {
    spec: map(
      {
        ...{ clusterIP: { const: 'None' }, publishNotReadyAddresses: yes, selector: labels },
        ports: list(map({ name, protocol: { enum: ['TCP'] }, port, targetPort: name })),
      },
      ['selector', 'ports'],
    ),
  }),
  NetworkPolicy: object('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: map(
      {
        podSelector: { oneOf: [selector, map({})] },
        policyTypes: { const: ['Ingress', 'Egress'] },
        ...{ ingress: list(map({ from: peers, ports })), egress: list(map({ to: peers, ports }, ['ports'])) },
      },
      ['podSelector', 'policyTypes'],
    ),
  }),
  Pod: map({
    ...{ apiVersion: { const: 'v1' }, kind: { const: 'Pod' } },
    metadata: map({ namespace: name, labels }),
    spec: usersPod,
  }),
  ServiceAccount: object('v1', 'ServiceAccount', { automountServiceAccountToken: no }),
  Role: object('rbac.authorization.k8s.io/v1', 'Role', {
    rules: list(map({ apiGroups: { const: [''] }, resources: list(text), verbs: list(text) })),
  }),
  RoleBinding: object('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: map({ apiGroup: { const: 'rbac.authorization.k8s.io' }, kind: { const: 'Role' }, name }),
    subjects: list(map({ kind: { const: 'ServiceAccount' }, name, namespace: name })),
  }),
  ResourceQuota: object('v1', 'ResourceQuota', { spec: map({ hard: map({ pods: quantity }) }) }),
  PodDisruptionBudget: object('policy/v1', 'PodDisruptionBudget', { spec: map({ maxUnavailable: whole, selector }) }),
  StatefulSet: object('apps/v1', 'StatefulSet', {
    spec: map({
      ...{ serviceName: name, replicas: whole, podManagementPolicy: { const: 'Parallel' }, selector },
      template: map({ metadata: map({ labels }), spec: pod }),
      volumeClaimTemplates: list(
        map({
          metadata: map({ name }),
          spec: map({
            accessModes: { const: ['ReadWriteOnce'] },
            resources: map({ requests: map({ storage: quantity }) }),
          }),
        }),
      ),
    }),
  }),
  Front: object('apps/v1', 'StatefulSet', {
    spec: map({
      ...{ serviceName: name, replicas: whole, podManagementPolicy: { const: 'Parallel' }, selector },
      template: map({ metadata: map({ labels }), spec: front }),
    }),
  }),
  Kustomization: map({
    ...{ apiVersion: { const: 'kustomize.config.k8s.io/v1beta1' }, kind: { const: 'Kustomization' } },
    ...{ namespace: name, resources: list(text) },
    secretGenerator: generated,
    generatorOptions: map({ disableNameSuffixHash: yes }),
    images,
  }),
  FrontKustomization: map({
    ...{ apiVersion: { const: 'kustomize.config.k8s.io/v1beta1' }, kind: { const: 'Kustomization' } },
    ...{ resources: list(text), secretGenerator: generated, configMapGenerator: generated },
    generatorOptions: map({ disableNameSuffixHash: yes }),
    images,
  }),
};
