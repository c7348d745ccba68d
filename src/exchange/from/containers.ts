import { wordsIn } from '../../host/bytes.ts';
import { type Draft, quoted } from '../draft.ts';
import { at, entriesAt, type Json, listAt, mapAt, textsAt } from '../json.ts';
import { done, type Handlers, type Importer, readKeys, rows } from './importer.ts';

/** Source: the devcontainer specification's reference of devcontainer.json. */
export const devcontainer: Importer = {
  format: 'devcontainer',
  title: 'a dev container',
  syntax: 'JSON',
  recognises: ({ data, path }) =>
    ['containerEnv', 'remoteEnv', 'devcontainerId', 'workspaceMount', 'postCreateCommand'].some(
      (key) => at(data, key) !== undefined,
    ) || /(^|\/)\.?devcontainer(\/[\w-]+)?\.json$|\/devcontainer\.json$/.test(path),
  read: ({ data }, draft) => {
    insideContainer(draft);
    for (const section of ['containerEnv', 'remoteEnv'])
      for (const [name, value] of entriesAt(at(data, section))) readVariable(`${section}.${name}`, name, value, draft);
    const others = Object.fromEntries(entriesAt(data).filter(([key]) => !DEVCONTAINER_ASIDE.test(key)));
    readKeys(others, DEVCONTAINER, draft);
    for (const [key] of entriesAt(data))
      if (DEVCONTAINER_ASIDE.test(key))
        draft.aside(key, 'how the container is built and used; there is no container here');
  },
};

const DEVCONTAINER: Handlers = {
  ...done(['containerEnv', 'remoteEnv']),
  mounts: (key, value, draft) => {
    for (const mount of listAt(value)) readMount(key, mountOf(mount), draft);
  },
  runArgs: (_, value, draft) => readRunArguments(textsAt(value), draft),
  ...rows(['privileged', 'capAdd', 'securityOpt', 'forwardPorts', 'appPort'], 'narrower', 'no further rights'),
};

const DEVCONTAINER_ASIDE =
  /^(\$schema|name|image|build|dockerFile|dockerComposeFile|service|runServices|features|overrideFeatureInstallOrder|customizations|settings|extensions|workspaceFolder|workspaceMount|remoteUser|containerUser|updateRemoteUserUID|userEnvProbe|overrideCommand|shutdownAction|init|hostRequirements|portsAttributes|otherPortsAttributes|waitFor|initializeCommand|onCreateCommand|updateContentCommand|postCreateCommand|postStartCommand|postAttachCommand|secrets|gpu)$/;

/** Source: the Compose specification, services. */
export const compose: Importer = {
  format: 'compose',
  title: 'Compose',
  syntax: 'YAML',
  needs: 'services',
  recognises: ({ data }) =>
    mapAt(at(data, 'services')) !== undefined &&
    entriesAt(at(data, 'services')).every(([, service]) => mapAt(service) !== undefined),
  read: ({ data, only }, draft) => {
    const services = entriesAt(at(data, 'services'));
    const [name, service] =
      services.length === 1 ? (services[0] as [string, Json]) : (services.find(([one]) => one === only) ?? []);
    if (name === undefined || service === undefined)
      return draft.row(
        'services',
        "can't be said",
        `several services: give --only ${services.map(([one]) => quoted(one)).join(' or ')}`,
        { needsAccept: true },
      );
    insideContainer(draft);
    for (const [key, value] of entriesAt(service)) readService(`services.${name}.${key}`, key, value, draft);
    for (const [key] of entriesAt(data)) if (key !== 'services') draft.aside(key);
  },
};

/** A container has nothing of the shell that starts it, the image's PATH, and of the files only what is mounted. */
function insideContainer(draft: Draft) {
  draft.profile.environment.allow_vars = [];
  draft.profile.environment.set_vars = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '$HOME',
  };
  draft.profile.filesystem.preset = 'workspace';
  draft.profile.isolation = 'barrier';
  draft.row(
    '(container)',
    'narrower',
    "nothing is inherited; the host's system read-only, a private home, the workspace",
  );
}

function readVariable(key: string, name: string, value: Json, draft: Draft) {
  if (value === null) {
    draft.unset(key, name);
    return draft.row(key, 'same', 'unset_vars');
  }
  const text = String(value);
  const local = /^\$\{localEnv:([A-Za-z_]\w*)(?::[^}]*)?\}$/.exec(text)?.[1];
  if (local !== undefined) return passOn(key, local, name, draft);
  if (/\$\{/.test(text)) return draft.row(key, 'narrower', `${quoted(name)} is not set: its value is made from others`);
  draft.set(key, name, text);
}

function passOn(key: string, from: string, name: string, draft: Draft) {
  if (from === name && draft.allowVar(name)) return draft.row(key, 'same', 'allow_vars');
  if (draft.credential(key, `env://${from}`, name)) draft.row(key, 'narrower', `from ${from}, which has to be set`);
}

interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

function mountOf(mount: Json): Mount | undefined {
  const text = typeof mount === 'string' ? mount : undefined;
  const part = (...names: string[]) => {
    if (text === undefined)
      return names.map((name) => at(mount, name)).find((one) => typeof one === 'string') as string | undefined;
    return names.map((name) => new RegExp(`(?:^|,)${name}=([^,]*)`).exec(text)?.[1]).find((one) => one !== undefined);
  };
  const [source, target] = [part('source', 'src'), part('target', 'dst', 'destination')];
  if (source === undefined || target === undefined || (part('type') ?? 'bind') !== 'bind') return undefined;
  return {
    source,
    target,
    readOnly: text === undefined ? at(mount, 'read_only') === true : /(?:^|,)(readonly|ro)(?:,|=true|$)/.test(text),
  };
}

/** What lies elsewhere inside than outside can't be said, and is left out. */
function readMount(prefix: string, mount: Mount | undefined, draft: Draft) {
  if (mount === undefined) return draft.row(prefix, 'narrower', 'volumes are not there');
  const key = `${prefix}(${quoted(mount.source)})`;
  const source = mount.source
    .replace(/^\$\{localEnv:HOME\}|^\$\{HOME\}/, '$HOME')
    .replace(/^\$\{localWorkspaceFolder\}|^\.(?=\/|$)/, '$WORKDIR');
  if (/^\$WORKDIR\/?$/.test(source)) return draft.row(key, 'same', 'the workspace');
  const problem =
    draft.placeProblem(source) ?? (mount.source === mount.target ? undefined : 'it has another place inside');
  if (problem !== undefined) return draft.row(key, 'narrower', `left out: ${quoted(problem)}`);
  draft.place(mount.readOnly ? 'read' : 'write', source);
  draft.row(key, 'same', `filesystem.${mount.readOnly ? 'read' : 'write'}`);
}

function readRunArguments(args: readonly string[], draft: Draft) {
  for (const [i, arg] of args.entries()) {
    const key = `runArgs(${quoted(arg.replace(/=.*/s, ''))})`;
    if (/^--net(work)?=none$/.test(arg) || (/^--net(work)?$/.test(arg) && args[i + 1] === 'none')) {
      draft.profile.network.block = true;
      draft.row(key, 'same', 'network off');
    } else if (/^--(cap-drop|security-opt=no-new-privileges)/.test(arg))
      draft.row(key, 'same', 'the barrier always does');
    else if (arg.startsWith('-'))
      draft.row(key, "can't be said", 'arguments of the engine are not taken over', {
        needsAccept: /read-only|memory|cpus|pids|ulimit|network/.test(arg),
      });
  }
}

function readService(key: string, name: string, value: Json, draft: Draft) {
  if (name === 'environment') return readEnvironment(key, value, draft);
  if (name === 'volumes') {
    for (const volume of listAt(value))
      readMount(key, typeof volume === 'string' ? shortVolume(volume) : mountOf(volume), draft);
  } else if (name === 'network_mode' && value === 'none') {
    draft.profile.network.block = true;
    draft.row(key, 'same', 'network off');
  } else if (name === 'env_file') draft.row(key, 'narrower', 'import that file, too, and let this profile extend it');
  else if (NARROWER.includes(name)) draft.row(key, 'narrower', 'no further rights; the system is read-only');
  else if (LIMITS.test(name)) draft.row(key, 'wider', 'limits hold for sessions only');
  else if (SERVICE_ASIDE.test(name))
    draft.aside(key, 'how the container is built and used; there is no container here');
  else draft.unknown(key);
}

const NARROWER = wordsIn(`
  privileged cap_add cap_drop security_opt devices pid ipc network_mode read_only ports networks secrets configs
  group_add userns_mode extra_hosts dns tmpfs
`);
const LIMITS = /^(mem_|memswap|cpu|pids_limit|ulimits|blkio|oom_|deploy$|storage_opt)/;
const SERVICE_ASIDE =
  /^(image|build|command|entrypoint|container_name|depends_on|healthcheck|restart|labels|logging|working_dir|user|hostname|profiles|stdin_open|tty|stop_|init|platform|pull_policy|expose|links|external_links|annotations|extends|scale|domainname|develop|x-)/;

function readEnvironment(key: string, value: Json, draft: Draft) {
  for (const [name, text] of entriesAt(value))
    composeVariable(`${key}.${name}`, name, text === null ? undefined : String(text), draft);
  for (const item of textsAt(value)) {
    const equals = item.indexOf('=');
    const name = equals === -1 ? item : item.slice(0, equals);
    composeVariable(`${key}.${name}`, name, equals === -1 ? undefined : item.slice(equals + 1), draft);
  }
}

/** Without a value it is the shell's; `${X}` is put in from the shell, `$$` is a dollar. */
function composeVariable(key: string, name: string, value: string | undefined, draft: Draft) {
  if (value === undefined) return passOn(key, name, name, draft);
  const from = /^\$\{?([A-Za-z_]\w*)(?::?[-?][^}]*)?\}?$/.exec(value)?.[1];
  if (from !== undefined) return passOn(key, from, name, draft);
  if (/(?<!\$)\$(?!\$)/.test(value))
    return draft.row(key, 'narrower', `${quoted(name)} is not set: its value is made from others`);
  draft.set(key, name, value.replace(/\$\$/g, '$'));
}

function shortVolume(volume: string): Mount | undefined {
  const [source = '', target, mode = ''] = volume.split(':');
  if (target === undefined || !/^[./~$]/.test(source)) return undefined;
  return { source, target, readOnly: mode.split(',').includes('ro') };
}
