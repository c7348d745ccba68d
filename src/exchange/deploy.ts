import { inspect } from '../decide/guard/index.ts';
import { bytesOfText, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { isByName } from '../policy/network/rules.ts';
import { yamlText } from './json.ts';
import type { Exported, View } from './to/view.ts';

/** Forms in which a command is started through Cordon somewhere else. */
export const DEPLOYMENTS = ['pod', 'job', 'compose'] as const;
export type Deployment = (typeof DEPLOYMENTS)[number];

export interface Deployed {
  readonly image: string;
  readonly argv: readonly string[];
}

/** The image has Cordon in it; the values come as files that nobody but Cordon finds. */
const HOME = '/home/cordon';
/** Of its own, since an image may name a place that nobody can write here. */
const CORDON_HOME = `${HOME}/.cordon`;
const WORKSPACE = '/workspace';
const SECRETS = '/run/cordon/secrets';
const ID = 1000;

/** A manifest that starts the command behind the barrier, under this policy, without a value in it. */
export function deploy(form: Deployment, view: View, { image, argv }: Deployed): Exported {
  const command = ['cordon', 'run', ...flagsOf(view), '--isolation', 'barrier', '--', ...argv];
  const secrets = view.policy.credentials.map(({ target }) => showBytes(target));
  const parts = { name: labelOf(view.name), image, command, secrets, readOnly: isReadOnly(view) };
  const text = form === 'compose' ? composeText(parts, view) : manifestText(form, parts);
  return { text, rows: view.rows };
}

const isReadOnly = ({ policy }: View) => policy.filesystem.workspace.mode === 'read-only';

/** What Kubernetes takes for a name. */
const labelOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'command';

/* ── the policy as flags ── */

function flagsOf(view: View): string[] {
  const { base, allow, deny, guard, filesystem, redact, guardExceptions = [] } = view.policy;
  const many = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  const places = (flag: string, paths: readonly string[]) =>
    many(
      flag,
      paths.map((path) => view.path(path, { home: HOME, workdir: WORKSPACE })),
    );
  for (const { name } of guardExceptions)
    view.row(`guard_exceptions ${showBytes(name)}`, 'narrower', 'left out: no flag says it');
  view.row('environment', 'same', 'decided about in the container, image and pod included');
  view.row(`filesystem ${filesystem.preset}`, 'same', "the image's own files, and the workspace");
  return [
    ...['--base', base.preset],
    ...many(
      '--allow',
      allow.map(({ pattern }) => showBytes(pattern.source)),
    ),
    ...deny.flatMap(({ pattern, except }) => [
      ...['--deny', showBytes(pattern.source)],
      ...many(
        '--except',
        except.map((one) => showBytes(one.source)),
      ),
    ]),
    ...many('--set', settings(view)),
    ...(guard === 'off' ? [] : ['--guard', guard]),
    ...['--fs', filesystem.preset === 'all' ? 'guarded' : filesystem.preset],
    ...(isReadOnly(view) ? ['--workspace', 'read-only'] : []),
    ...places('--read', filesystem.read),
    ...places('--write', filesystem.write),
    ...places('--hide', filesystem.hide),
    ...places('--expose', filesystem.expose),
    ...networkFlags(view),
    ...(redact ? ['--redact'] : []),
    ...credentialFlags(view),
  ];
}

/** A value that stands in a manifest is read by many: what looks like a secret is refused, whatever it is called. */
function settings(view: View): string[] {
  return view.values.map(([name, value]) => {
    const finding = inspect(bytesOfText(name), bytesOfText(value));
    if (finding === undefined) return `${name}=${value}`;
    throw new CordonError('policy', `set_vars ${name} looks like a credential (${finding.reason})`, {
      hint: `a manifest holds no secret: make it a credential, { "target": "${name}", "source": "vault://${name}" }`,
    });
  });
}

function networkFlags(view: View): string[] {
  const { network } = view.policy;
  if (network.mode === 'ask' || network.mode === 'learn') {
    view.row(`network ${network.mode}`, 'narrower', 'only what is named: nobody is there to be asked');
  } else view.row('network', 'same', '');
  if (!isByName(network)) return ['--net', network.mode];
  if (network.deny.length > 0) view.row('network.deny', 'narrower', 'a host that is denied is left out of the list');
  const denied = new Set(view.hosts('deny'));
  const hosts = [...new Set(view.hosts('allow'))].filter((host) => !denied.has(host));
  return hosts.length === 0 ? ['--net', 'off'] : hosts.flatMap((host) => ['--net', host]);
}

function credentialFlags(view: View): string[] {
  if (view.policy.ssh !== undefined)
    throw new CordonError('policy', "ssh_keys are of your ssh-agent, which a manifest can't say", {
      hint: 'leave out ssh_keys in the profile that is exported',
    });
  return view.policy.credentials.flatMap(({ target, broker }) => {
    const name = showBytes(target);
    if (broker !== undefined)
      throw new CordonError('policy', `${name} is brokered, which a manifest can't say`, {
        hint: 'leave out `for` in the profile that is exported',
      });
    view.row(`env_credentials ${name}`, 'same', `read from the file ${name} of a secret`);
    return ['--credential', `${name}=file://${SECRETS}/${name}`];
  });
}

/* ── Kubernetes ── */

interface Parts {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly secrets: readonly string[];
  readonly readOnly: boolean;
}

function manifestText(form: 'pod' | 'job', parts: Parts): string {
  const { name, secrets } = parts;
  const spec = podSpec(parts);
  const manifest =
    form === 'pod'
      ? { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }
      : { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { backoffLimit: 0, template: { spec } } };
  const files = secrets.map((one) => `--from-file=${one}`).join(' ');
  const head = [
    `# ${name}, from Cordon. The image needs Cordon in it: npm install --global cordon`,
    ...(secrets.length === 0 ? [] : [`# The values, each from a file: kubectl create secret generic ${name} ${files}`]),
    '# The barrier needs procMount as it is here and no seccompProfile RuntimeDefault; leave out hostUsers before Kubernetes 1.30.',
  ];
  return `${head.join('\n')}\n${yamlText(manifest)}`;
}

function podSpec({ name, image, command, secrets, readOnly }: Parts) {
  const folders = ['/tmp', '/var/tmp', HOME];
  const volumeOf = (path: string) => path.slice(1).replaceAll('/', '-');
  const hardened = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true };
  const copy = `cp -L /from/* ${SECRETS}/ && chmod 600 ${SECRETS}/*`;
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    hostUsers: false,
    securityContext: { runAsNonRoot: true, runAsUser: ID, runAsGroup: ID, fsGroup: ID },
    // A volume of secrets has links and lets the group read; Cordon takes files that are the user's alone.
    ...(secrets.length === 0
      ? {}
      : {
          initContainers: [
            {
              name: 'secrets',
              image,
              command: ['sh', '-c', copy],
              securityContext: hardened,
              volumeMounts: [
                { name: 'from', mountPath: '/from', readOnly: true },
                { name: 'secrets', mountPath: SECRETS },
              ],
            },
          ],
        }),
    containers: [
      {
        name: 'command',
        image,
        command,
        workingDir: WORKSPACE,
        env: Object.entries({ HOME, CORDON_HOME }).map(([key, value]) => ({ name: key, value })),
        securityContext: { ...hardened, procMount: 'Unmasked' },
        volumeMounts: [
          { name: 'workspace', mountPath: WORKSPACE, ...(readOnly ? { readOnly } : {}) },
          ...folders.map((path) => ({ name: volumeOf(path), mountPath: path })),
          ...(secrets.length === 0 ? [] : [{ name: 'secrets', mountPath: SECRETS, readOnly: true }]),
        ],
      },
    ],
    volumes: [
      { name: 'workspace', emptyDir: {} },
      ...folders.map((path) => ({ name: volumeOf(path), emptyDir: { medium: 'Memory' } })),
      ...(secrets.length === 0
        ? []
        : [
            { name: 'from', secret: { secretName: name, items: secrets.map((key) => ({ key, path: key })) } },
            { name: 'secrets', emptyDir: { medium: 'Memory' } },
          ]),
    ],
  };
}

/* ── compose ── */

function composeText({ name, image, command, secrets, readOnly }: Parts, { policy }: View): string {
  const service = {
    image,
    entrypoint: command.map((word) => word.replaceAll('$', '$$$$')),
    command: [],
    user: `${ID}:${ID}`,
    working_dir: WORKSPACE,
    environment: { HOME, CORDON_HOME },
    volumes: [`.:${WORKSPACE}${readOnly ? ':ro' : ''}`],
    tmpfs: ['/tmp', '/var/tmp', '/run', HOME].map((path) => `${path}:mode=1777,exec`),
    ...(policy.network.mode === 'off' ? { network_mode: 'none' } : {}),
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true', 'systempaths=unconfined', 'seccomp=unconfined'],
    ...(secrets.length === 0 ? {} : { secrets: secrets.map((one) => ({ source: one, target: `${SECRETS}/${one}` })) }),
  };
  const files = Object.fromEntries(secrets.map((one) => [one, { file: `./secrets/${one}` }]));
  const head = [
    `# ${name}, from Cordon: docker compose run --rm ${name}. The image needs Cordon in it: npm install --global cordon`,
    ...(secrets.length === 0 ? [] : [`# The values, each a file of user ${ID} with mode 600: ./secrets/NAME`]),
  ];
  const document = { services: { [name]: service }, ...(secrets.length === 0 ? {} : { secrets: files }) };
  return `${head.join('\n')}\n${yamlText(document)}`;
}
