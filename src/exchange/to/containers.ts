import { yamlText } from '../json.ts';
import { type Exporter, simpleText, type View, WORKDIR } from './view.ts';

/** What the formats put in by themselves. */
const braced = (name: string) => ['$', '{', name, '}'].join('');

/** Exact names that are handed on from the shell; a container has nothing else of it. */
function handedOn(view: View): string[] {
  return view.inherited.flatMap((pattern) => {
    const text = simpleText(pattern) ?? pattern.source;
    if (text === 'PATH' || text === 'HOME') return [];
    view.row(
      `allow ${text}`,
      pattern.exact ? 'same' : 'narrower',
      pattern.exact ? '' : 'left out: only names can be handed on',
    );
    return pattern.exact ? [text] : [];
  });
}

const isDenied = (view: View, name: string) =>
  view.policy.deny.some(
    ({ pattern, except }) => pattern.matches(name as never) && !except.some((one) => one.matches(name as never)),
  );

function commonRows(view: View): void {
  const { filesystem, network } = view.policy;
  view.row(`filesystem ${filesystem.preset}`, 'same', "the image's own files, and what is mounted");
  if (filesystem.hide.length > 0) view.row('filesystem.hide', 'same', 'nothing of the machine is there');
  if (filesystem.workspace.mode === 'aside') view.row('workspace aside', 'wider', 'what is written there stays');
  if (network.mode === 'names') view.row('network', 'narrower', 'off: hosts cannot be named there');
  else view.row('network', 'same', '');
  view.ownRows(view.inherited.filter(({ exact }) => exact));
}

export const toDocker: Exporter = (view) => {
  const form = { home: braced('HOME'), workdir: '.' };
  const names = handedOn(view).filter((name) => !isDenied(view, name));
  const environment = Object.fromEntries([
    ...names.map((name) => [name, null]),
    ...view.values.map(([name, value]) => [name, value.replaceAll('$', '$$$$')]),
  ]);
  const bind = (path: string, mode: string) => `${view.path(path, form)}:${view.path(path, form)}${mode}`;
  const { filesystem, network } = view.policy;
  const readOnly = filesystem.workspace.mode === 'read-only' ? ':ro' : '';
  commonRows(view);
  const service = {
    image: 'debian:stable-slim',
    working_dir: '/workspace',
    environment,
    volumes: [
      `.:/workspace${readOnly}`,
      ...filesystem.write.map((path) => bind(path, '')),
      ...filesystem.read.map((path) => bind(path, ':ro')),
    ],
    ...(network.mode === 'on' ? {} : { network_mode: 'none' }),
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  };
  return {
    text: `# ${view.name}, from Cordon: docker compose run app CMD\n${yamlText({ services: { app: service } })}`,
    rows: view.rows,
  };
};

export const toDevcontainer: Exporter = (view) => {
  const form = { home: braced('localEnv:HOME'), workdir: braced('localWorkspaceFolder') };
  const names = handedOn(view).filter((name) => !isDenied(view, name));
  const remoteEnv = Object.fromEntries(names.map((name) => [name, braced(`localEnv:${name}`)]));
  const mount = (path: string, mode: string) =>
    `source=${view.path(path, form)},target=${view.path(path, form)},type=bind${mode}`;
  const { filesystem, network } = view.policy;
  const values = Object.fromEntries(view.values);
  commonRows(view);
  if (filesystem.workspace.mode === 'read-only')
    view.row('workspace read-only', 'wider', 'the workspace of a dev container is writable');
  const container = {
    name: view.name,
    image: 'debian:stable-slim',
    containerEnv: values,
    remoteEnv,
    mounts: [
      ...filesystem.write.map((path) => mount(path, '')),
      ...filesystem.read.map((path) => mount(path, ',readonly')),
    ],
    runArgs: [
      '--cap-drop=ALL',
      '--security-opt=no-new-privileges',
      ...(network.mode === 'on' ? [] : ['--network=none']),
    ],
  };
  return { text: `${JSON.stringify(container, null, 2)}\n`, rows: view.rows };
};

export const toFirejail: Exporter = (view) => {
  const form = { home: braced('HOME'), workdir: WORKDIR };
  const { filesystem, network, deny } = view.policy;
  const places = (word: string, paths: readonly string[]) =>
    paths.flatMap((path) => {
      if (path !== WORKDIR && !path.startsWith(`${WORKDIR}/`)) return [`${word} ${view.path(path, form)}`];
      view.row(
        `filesystem ${word}`,
        word === 'read-write' ? 'narrower' : 'wider',
        'the working folder has no name there',
      );
      return [];
    });
  if (!view.inheritsAll) view.row('environment', 'wider', 'firejail hands everything on but what rmenv names');
  const removed = deny.flatMap(({ pattern, except }) => {
    const sayable = pattern.exact && except.length === 0;
    view.row(
      `deny_vars ${pattern.anyCase ?? pattern.source}`,
      sayable ? 'same' : 'wider',
      sayable ? '' : 'rmenv knows no patterns',
    );
    return sayable ? [`rmenv ${pattern.source}`] : [];
  });
  const values = view.values.filter(([name, value]) => {
    if (!/[\n\r]/.test(value)) return true;
    view.row(`set_vars ${name}`, 'narrower', 'left out: it has more than one line');
    return false;
  });
  if (network.mode === 'names') view.row('network', 'narrower', 'off: hosts cannot be named there');
  if (filesystem.preset === 'guarded')
    view.row('filesystem guarded', 'wider', 'the home is there, but for what its lists hide');
  if (filesystem.workspace.mode !== 'real')
    view.row(`workspace ${filesystem.workspace.mode}`, 'wider', 'what is written there stays');
  view.ownRows();
  const lines = [
    `# ${view.name}, from Cordon`,
    ...(filesystem.preset === 'workspace' || filesystem.preset === 'minimal'
      ? ['private']
      : ['include disable-common.inc', 'include disable-programs.inc']),
    ...places('blacklist', filesystem.hide),
    ...places('read-only', filesystem.read),
    ...places('read-write', filesystem.write),
    ...(network.mode === 'on' ? [] : ['net none']),
    ...values.map(([name, value]) => `env ${name}=${value}`),
    ...removed,
    ...['caps.drop all', 'nonewprivs', 'noroot', 'seccomp', 'private-tmp', 'private-dev', 'ipc-namespace'],
  ];
  return { text: `${lines.join('\n')}\n`, rows: view.rows };
};
