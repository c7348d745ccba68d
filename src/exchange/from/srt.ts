import { type Draft, type PlaceList, quoted } from '../draft.ts';
import { at, type Json, listAt } from '../json.ts';
import { asides, done, type Handlers, type Importer, readKeys, rows } from './importer.ts';

/** Source: sandbox-runtime's sandbox/sandbox-config.ts and its README. */
export const srt: Importer = {
  format: 'srt',
  title: 'sandbox-runtime (srt)',
  syntax: 'JSON',
  recognises: ({ data, path }) =>
    (at(data, 'network.allowedDomains') !== undefined && at(data, 'filesystem') !== undefined) ||
    at(data, 'filesystem.denyRead') !== undefined ||
    /(^|\/)\.srt-settings\.json$/.test(path),
  read: ({ data }, draft) => {
    draft.profile.environment.base = 'all';
    draft.profile.isolation = 'barrier';
    readFilesystem('filesystem', at(data, 'filesystem'), srtPath, draft);
    readSandboxNetwork('network', at(data, 'network'), draft);
    readCredentials('credentials', at(data, 'credentials'), srtPath, draft);
    readKeys(data, TOP, draft);
    protectedFiles(draft);
  },
};

const TOP: Handlers = {
  ...done(['filesystem', 'network', 'credentials']),
  ...rows(
    [
      'enableWeakerNestedSandbox',
      'allowNestedUserNamespaces',
      'enableWeakerNetworkIsolation',
      'allowAppleEvents',
      'allowPty',
    ],
    'narrower',
    'the barrier stays as it is',
  ),
  ...asides([
    '$schema',
    'ignoreViolations',
    'ripgrep',
    'mandatoryDenySearchDepth',
    'seccomp',
    'bwrapPath',
    'socatPath',
    'javaAgentJarPath',
  ]),
  ...asides(['windows', 'git']),
};

/** A path as a profile writes it, from one as this tool writes it. */
export type PathForm = (path: string) => string;

/** Relative paths are relative to where it is started. */
const srtPath: PathForm = (path) => {
  if (/^(\/|~(\/|$))/.test(path)) return path;
  return path === '.' ? '$WORKDIR' : `$WORKDIR/${path.replace(/^\.\//, '')}`;
};

/** Everything can be read but `denyRead`, and written only what `allowWrite` names: Cordon's guarded shows less of the home. */
export function readFilesystem(prefix: string, section: Json | undefined, form: PathForm, draft: Draft) {
  const { filesystem } = draft.profile;
  if (at(section, 'disabled') === true) {
    filesystem.preset = 'all';
    return draft.row(`${prefix}.disabled`, 'same', 'filesystem all');
  }
  filesystem.preset = 'guarded';
  if (prefix === 'filesystem') filesystem.workspace = 'read-only';
  draft.row(`${prefix} (reading)`, 'narrower', 'of the home only what programs need can be read');
  const places = Object.keys(PLACES).map((name) => [
    name,
    (key: string, value: Json) => {
      for (const path of draft.texts(key, value)) readPlace(key, name, form(path), draft);
    },
  ]);
  const handlers: Handlers = {
    ...Object.fromEntries(places),
    ...rows(['disabled'], 'same', ''),
    ...rows(['allowGitConfig'], 'narrower', "git's settings that start programs are put back"),
    ...asides(['allowManagedReadPathsOnly'], 'for managed settings'),
  };
  readKeys(section, handlers, draft, prefix);
}

const PLACES: Readonly<Record<string, PlaceList>> = {
  allowRead: 'read',
  allowWrite: 'write',
  denyRead: 'hide',
  denyWrite: 'read',
};

function readPlace(prefix: string, name: string, path: string, draft: Draft) {
  const key = `${prefix}(${quoted(path)})`;
  if (name === 'allowWrite' && path === '$WORKDIR') {
    delete draft.profile.filesystem.workspace;
    return draft.row(key, 'same', 'the workspace, writable');
  }
  const list = PLACES[name] as PlaceList;
  const problem = draft.placeProblem(path);
  if (problem !== undefined)
    return draft.row(key, name.startsWith('deny') ? 'wider' : 'narrower', `left out: ${quoted(problem)}`);
  if (name === 'denyRead' && path === '/')
    return draft.row(key, 'wider', '/ cannot be hidden; filesystem minimal is near');
  draft.place(list, path);
  draft.row(key, 'same', `filesystem.${list}`);
}

/** Whatever is allowed, the tool itself keeps these from being written where they are. */
export function protectedFiles(draft: Draft) {
  if (draft.profile.filesystem.preset === 'all') return;
  for (const name of ['.mcp.json', '.vscode', '.idea', '.claude/commands', '.claude/agents'])
    draft.place('read', `$WORKDIR/${name}`);
  draft.row(
    '(write protection)',
    'wider',
    '.mcp.json, .vscode, .idea and the like are read-only where they are; one that is not there yet can be made',
  );
}

/** Only what `allowedDomains` names, unless all are allowed; `deniedDomains` before it. */
export function readSandboxNetwork(prefix: string, section: Json | undefined, draft: Draft) {
  const open = at(section, 'allowAllDomains') === true;
  const key = (name: string) => `${prefix}.${name}`;
  for (const host of draft.texts(key('allowedDomains'), at(section, 'allowedDomains')))
    draft.host(key('allowedDomains'), 'allow', localPort(host));
  for (const host of draft.texts(key('deniedDomains'), at(section, 'deniedDomains')))
    draft.host(key('deniedDomains'), 'deny', host);
  for (const address of draft.texts(key('deniedResolvedAddresses'), at(section, 'deniedResolvedAddresses')))
    if (!isOwnLoopback(address)) draft.deniedAddress(key('deniedResolvedAddresses'), address);
  if (open) draft.host(key('allowAllDomains'), 'allow', '*');
  draft.closeUnlessNamed();
  draft.row(key('allowedDomains'), open ? 'same' : 'narrower', 'network.allow; without a port it means 80 and 443');
  readKeys(section, NETWORK, draft, prefix);
}

/** What it keeps back and Cordon does not has to be accepted. */
function restricts(key: string, value: Json | boolean, note: string, draft: Draft): void {
  if (value === false) draft.row(key, 'same', 'off');
  else draft.row(key, 'wider', note);
}

/** No name is ever led there. */
const isOwnLoopback = (address: string) => /^127\.|^::1(?:\/128)?$/.test(address);

const NETWORK: Handlers = {
  ...done(['allowedDomains', 'allowAllDomains']),
  ...rows(['deniedDomains'], 'same', 'network.deny'),
  ...rows(['deniedResolvedAddresses'], 'same', 'network.deny; private addresses are refused anyway'),
  ...rows(['strictAllowlist'], 'narrower', 'nobody is asked'),
  ...rows(
    ['allowUnixSockets', 'allowAllUnixSockets', 'allowMachLookup'],
    'narrower',
    'sockets of the machine are cut off; filesystem.write lets one through',
  ),
  ...rows(['allowLocalBinding'], 'same', 'it has a loopback of its own'),
  ...rows(
    ['httpProxyPort', 'socksProxyPort', 'mitmProxy', 'parentProxy', 'tlsTerminate', 'filterRequest'],
    'narrower',
    'connections go through no other proxy',
  ),
  ...rows(['allowPlaintextHeaderSet'], 'narrower', 'nothing is injected'),
  requireHostMatch: (key, value, draft) =>
    restricts(key, value, 'of TLS only the name in its hello is looked at; in plain HTTP every Host is', draft),
  refuseOpaqueTunnels: (key, value, draft) => restricts(key, value, 'what goes through is not looked into', draft),
  stripResponseHeaders: (key, value, draft) =>
    restricts(key, listAt(value).length > 0 || !Array.isArray(value), 'answers are passed on as they are', draft),
  ...asides(['deniedDomainReasons', 'allowManagedDomainsOnly', 'ambiguousRequestTarget']),
};

const localPort = (host: string) => host.replace(/^(?:localhost|127\.0\.0\.1):/, '@host:');

/** `deny` is gone; `mask` is a placeholder. What it may be sent to is what may be reached, unless it says so itself. */
export function readCredentials(prefix: string, section: Json | undefined, form: PathForm, draft: Draft) {
  const allowed = draft.profile.network.allow?.filter((host) => host !== '*') ?? [];
  const handlers: Handlers = {
    envVars: (key, value) => {
      if (!Array.isArray(value)) draft.unknown(key);
      for (const item of listAt(value)) readVariable(key, item, allowed, draft);
    },
    files: (key, value) => {
      if (!Array.isArray(value)) draft.unknown(key);
      for (const path of listAt(value).map((item) => at(item, 'path')))
        if (typeof path === 'string') readPlace(key, 'denyRead', form(path), draft);
        else draft.unknown(key);
    },
    ...rows(['allowPlaintextInject', 'awsPairs', 'sigv4'], 'narrower', 'nothing is injected'),
  };
  readKeys(section, handlers, draft, prefix);
}

/** A stand-in that works for the hosts it is meant for; one that is cut out of a longer value is gone instead. */
function readVariable(prefix: string, item: Json, allowed: readonly string[], draft: Draft) {
  const name = at(item, 'name');
  if (typeof name !== 'string') return draft.unknown(prefix);
  const key = `${prefix}(${quoted(name)})`;
  const whole = at(item, 'extract') === undefined && at(item, 'decode') === undefined;
  const hosts = at(item, 'injectHosts') === undefined ? allowed : draft.texts(key, at(item, 'injectHosts'));
  const entry = { target: name, source: `env://${name}`, for: hosts.map((host) => host.replace(/:443$/, '')) };
  if (at(item, 'mode') === 'mask' && whole && draft.brokered(key, entry))
    return draft.row(key, 'narrower', 'a placeholder that works for these hosts, in the Authorization header');
  draft.unset(key, name);
  if (at(item, 'mode') === 'deny') draft.row(key, 'same', 'unset_vars');
  else draft.row(key, 'narrower', 'unset_vars: not there at all');
}
