import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discover } from '../../src/check/discover.ts';
import { check, findingsIn } from './support.ts';

const TOKEN = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6'].join('_');

/** A pod with these lines under its one container, and these beside it. */
const pod = (container: string, beside = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n${beside}  containers:\n  - name: a\n    image: debian\n${container}`;

const rules = async (text: string, name = 'pod.yaml') => (await findingsIn(name, text)).map((one) => one.split(' ')[1]);

describe('manifests of Kubernetes', () => {
  it.each([
    ['a literal token', pod(`    env: [{ name: A, value: ${TOKEN} }]\n`), 'literal-credential'],
    ['a fixed password', pod('    env: [{ name: DB_PASSWORD, value: hunter2pass }]\n'), 'secret-in-plain-text'],
    [
      'a Secret as a variable',
      pod('    env: [{ name: DB_PASSWORD, valueFrom: { secretKeyRef: { name: db, key: p } } }]\n'),
      'secret-as-variable',
    ],
    ['a whole Secret as variables', pod('    envFrom: [{ secretRef: { name: all } }]\n'), 'secret-as-variable'],
    ['privileged', pod('    securityContext: { privileged: true }\n'), 'privileged-container'],
    ['a capability', pod('    securityContext: { capabilities: { add: [CAP_SYS_ADMIN] } }\n'), 'privileged-container'],
    ['the machine’s processes', pod('', '  hostPID: true\n'), 'privileged-container'],
    [
      'a daemon',
      pod('', '  volumes: [{ name: d, hostPath: { path: /run/containerd/containerd.sock } }]\n'),
      'daemon-in-container',
    ],
    ['a log-in', pod('', '  volumes: [{ name: d, hostPath: { path: /root/.kube } }]\n'), 'credentials-mounted'],
    ['the whole machine', pod('', '  volumes: [{ name: d, hostPath: { path: / } }]\n'), 'credentials-mounted'],
    [
      'the cluster’s keys',
      pod('', '  volumes: [{ name: d, hostPath: { path: /etc/kubernetes/pki } }]\n'),
      'credentials-mounted',
    ],
  ])('%s', async (_, text, rule) => {
    expect(await rules(text)).toEqual([rule]);
  });

  it.each([
    ['a plain value', pod('    env: [{ name: LOG_LEVEL, value: debug }]\n')],
    ['a Secret as a file', pod('', '  volumes: [{ name: s, secret: { secretName: db } }]\n')],
    ['the path of one', pod('    env: [{ name: DB_PASSWORD_FILE, value: /run/secrets/db }]\n')],
    ['a ConfigMap', pod('    envFrom: [{ configMapRef: { name: settings } }]\n')],
    [
      'what the barrier needs',
      pod('    securityContext: { procMount: Unmasked, privileged: false, capabilities: { drop: [ALL] } }\n'),
    ],
    ['a folder of data', pod('', '  volumes: [{ name: d, hostPath: { path: /srv/data } }]\n')],
    ['a project in a home', pod('', '  volumes: [{ name: d, hostPath: { path: /home/ada/project } }]\n')],
    ['a token in a pod without an agent', pod('', '  automountServiceAccountToken: true\n')],
    [
      'a Secret that is filled in elsewhere',
      'apiVersion: v1\nkind: Secret\nstringData: { A: "\x24{A}", B: changeme }\n',
    ],
    ['an empty Secret', 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n'],
  ])('nothing about %s', async (_, text) => {
    expect(await rules(text)).toEqual([]);
  });

  it('an agent’s token, and credentials that are not its own', async () => {
    const agent = (beside: string) => pod('    command: [claude, -p, fix it]\n', beside);
    expect(await rules(agent(''))).toEqual(['account-token-to-agent']);
    expect(await rules(agent('  automountServiceAccountToken: false\n'))).toEqual([]);
    const keys = ['ANTHROPIC_API_KEY', 'DEPLOY_TOKEN'].map(
      (name) => `{ name: ${name}, valueFrom: { secretKeyRef: { name: a, key: b } } }`,
    );
    const text = pod(
      `    command: [sh, -c, "claude -p x"]\n    env: [${keys.join(', ')}]\n`,
      '  automountServiceAccountToken: false\n',
    );
    expect(await rules(text)).toEqual(['secret-as-variable', 'credential-to-agent']);
  });

  it('what Helm and kustomize print: several documents, with templates of pods inside', async () => {
    const deployment = pod(`        env: [{ name: A, value: ${TOKEN} }]\n`)
      .replace('kind: Pod', 'kind: Deployment')
      .replace('spec:\n', 'spec:\n  template:\n    spec:\n')
      .replace(
        '  containers:\n  - name: a\n    image: debian\n',
        '      containers:\n      - name: a\n        image: debian\n',
      );
    const secret = `apiVersion: v1\nkind: Secret\ndata:\n  password: ${Buffer.from('hunter2pass').toString('base64')}\n`;
    const text = `---\n# Source: app/templates/secret.yaml\n${secret}---\n# nothing\n---\n${deployment}`;
    expect(await rules(text, 'rendered.yaml')).toEqual(['secret-in-manifest', 'literal-credential']);
    const list = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  stringData: { p: hunter2pass }\n`;
    expect(await rules(list)).toEqual(['secret-in-manifest']);
  });

  it('what a kustomization makes of literals', async () => {
    const text = 'secretGenerator:\n- name: a\n  literals: [password=hunter2pass, other=changeme]\n';
    expect(await rules(text, 'kustomization.yaml')).toEqual(['secret-in-manifest']);
    const settings =
      'kind: Kustomization\nconfigMapGenerator:\n- name: a\n  literals: [LEVEL=debug, password=hunter2pass]\n';
    expect(await rules(settings, 'kustomization.yaml')).toEqual(['secret-in-plain-text']);
  });

  it('never says a value', async () => {
    const report = await check({ 'pod.yaml': pod(`    env: [{ name: A, value: ${TOKEN} }]\n`) });
    expect(JSON.stringify(report)).not.toContain(TOKEN);
  });

  it('are found where projects keep them, and templates are left alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cordon-manifests-'));
    mkdirSync(join(folder, 'deploy/base'), { recursive: true });
    mkdirSync(join(folder, 'deploy/templates'), { recursive: true });
    writeFileSync(join(folder, 'deploy/base/pod.yaml'), pod(''));
    writeFileSync(join(folder, 'deploy/values.yaml'), 'a: 1\n');
    writeFileSync(join(folder, 'deploy/templates/pod.yaml'), pod('').replace('debian', '{{ .Values.image }}'));
    expect(discover({ config: undefined, workdir: folder })).toEqual(['deploy/base/pod.yaml']);
  });

  it('and compose: powers of the machine', async () => {
    const compose = (line: string) => `services:\n  a:\n    image: debian\n    ${line}\n`;
    for (const line of ['privileged: true', 'pid: host', 'cap_add: [SYS_PTRACE]'])
      expect(await rules(compose(line), 'compose.yaml')).toEqual(['privileged-container']);
    for (const line of ['privileged: false', 'cap_add: [NET_BIND_SERVICE]', 'cap_drop: [ALL]'])
      expect(await rules(compose(line), 'compose.yaml')).toEqual([]);
  });
});
