import { wordsIn } from '../../host/bytes.ts';
import { type BrokeredEntry, type Draft, type PlaceList, quoted, valueIsSayable } from '../draft.ts';
import { at, entriesAt, type Json, type JsonMap, listAt, mapAt, textOrTexts, textsAt } from '../json.ts';
import { asides, done, type Handler, type Handlers, type Importer, type Input, readKeys, rows } from './importer.ts';

/** Source: nono's data/nono-profile.schema.json and its pages on profiles. */
export const nono: Importer = {
  format: 'nono',
  title: 'nono',
  syntax: 'JSON',
  recognises: ({ data }) =>
    wordsIn('environment.allow_vars workdir.access env_credentials groups security.groups command_policies').some(
      (way) => at(data, way) !== undefined,
    ) ||
    (at(data, 'filesystem.allow') ?? at(data, 'filesystem.allow_file') ?? at(data, 'network.allow_domain')) !==
      undefined,
  read: async (input, draft) => {
    const { profile: whole, unresolved } = await withBases(input, draft);
    const profile = forThisPlatform(whole, draft);
    readEnvironment(profile, unresolved, draft);
    readFilesystem(profile, draft);
    readNetwork(at(profile, 'network'), draft);
    for (const section of ['env_credentials', 'secrets'])
      for (const [source, target] of entriesAt(profile[section])) readCredential(section, source, target, draft);
    readKeys(profile, OTHERS, draft);
  },
};

const DEEPEST = 16;

/** A base that lies beside the file is laid under it: lists add up, what is said later wins. Others are nono's own. */
async function withBases({ data, beside }: Input, draft: Draft): Promise<{ profile: JsonMap; unresolved: boolean }> {
  let unresolved = false;
  const load = async (json: Json | undefined, depth: number): Promise<JsonMap> => {
    let merged: JsonMap = {};
    for (const name of textOrTexts(at(json, 'extends'))) {
      const base = depth < DEEPEST ? await beside(name) : undefined;
      unresolved ||= base === undefined;
      draft.row(
        `extends(${quoted(name)})`,
        base === undefined ? 'narrower' : 'same',
        base === undefined ? 'not here: what it grants is left out' : 'taken in',
      );
      if (base !== undefined) merged = merge(merged, await load(base, depth + 1));
    }
    return merge(merged, mapAt(json) ?? {});
  };
  return { profile: await load(data, 0), unresolved };
}

/** What it says for Linux is laid over the rest. */
function forThisPlatform(profile: JsonMap, draft: Draft): JsonMap {
  const overrides = profile.platform_overrides;
  if (overrides === undefined || overrides === null) return profile;
  const linux = at(overrides, 'linux') ?? {};
  const isOdd = mapAt(linux) === undefined || ['extends', 'platform_overrides'].some((key) => at(linux, key) != null);
  if (isOdd) draft.unknown('platform_overrides.linux');
  else draft.row('platform_overrides', 'same', 'what it says for Linux');
  return isOdd ? profile : merge(profile, mapAt(linux) as JsonMap);
}

function merge(under: JsonMap, over: JsonMap): JsonMap {
  const merged: Record<string, Json> = Object.assign(Object.create(null), under);
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    if (value === null && below !== undefined) continue;
    if (Array.isArray(value) && Array.isArray(below)) merged[key] = [...below, ...value];
    else if (mapAt(value) !== undefined && mapAt(below) !== undefined)
      merged[key] = merge(mapAt(below) as JsonMap, mapAt(value) as JsonMap);
    else merged[key] = value;
  }
  return merged;
}

function readEnvironment(profile: JsonMap, unresolved: boolean, draft: Draft) {
  const section = at(profile, 'environment');
  const { environment } = draft.profile;
  const allow = at(section, 'allow_vars');
  if (section !== undefined && section !== null && mapAt(section) === undefined) draft.unknown('environment');
  if (allow !== undefined) environment.allow_vars = [];
  else environment.base = unresolved ? 'os-common' : 'all';
  if (allow === undefined)
    draft.row(
      'environment (inherited)',
      unresolved ? 'narrower' : 'same',
      unresolved ? 'what most programs need: nobody knows what the base lets through' : 'everything passes',
    );
  const passesNothing = Array.isArray(allow) && allow.length === 0;
  const handlers = environmentOf(at(section, 'case_insensitive_vars') === true, passesNothing);
  readKeys(section, handlers, draft, 'environment');
}

/** Of its patterns only `*` is special, anywhere in a name. */
const globOf = (pattern: string) => pattern.replace(/[[?]/g, '[$&]');

const environmentOf = (anyCase: boolean, passesNothing: boolean): Handlers => ({
  allow_vars: (key, value, draft) => {
    const allow = (entry: string) =>
      (!anyCase && draft.allowVar(entry)) ||
      draft.allowGlob(anyCase ? { pattern: globOf(entry), ignore_case: true } : globOf(entry));
    for (const entry of draft.texts(key, value))
      if (!allow(entry)) draft.row(`${key}(${quoted(entry)})`, 'narrower', 'this is not a pattern');
    if (textsAt(value).length > 0) draft.row(key, 'same', 'the names that match');
    else draft.row(key, 'narrower', 'nothing is inherited; some versions of nono pass everything for an empty list');
  },
  deny_vars: (key, value, draft) => {
    const deny = (entry: string) =>
      (entry === '*' && passesNothing) ||
      draft.deny(anyCase ? { pattern: globOf(entry), ignore_case: true } : globOf(entry));
    const bad = draft.texts(key, value).filter((entry) => !deny(entry));
    for (const entry of bad) draft.row(`${key}(${quoted(entry)})`, 'wider', 'this is not a pattern');
    draft.row(key, 'same', 'deny_vars');
  },
  ...rows(['case_insensitive_vars'], 'same', 'ignore_case'),
  set_vars: (key, value, draft) => {
    for (const [variable, text] of entriesAt(value)) readSet(key, variable, text, draft);
  },
});

function readSet(prefix: string, name: string, value: Json, draft: Draft) {
  const key = `${prefix}.${name}`;
  if (typeof value !== 'string') return draft.unknown(key);
  const text = value.replace(/\$TMPDIR(?!\w)/g, '/tmp');
  if (!valueIsSayable(text))
    return draft.row(key, 'narrower', `${quoted(name)} is not set: its value has another variable in it`);
  draft.set(key, name, text, false);
}

const grants =
  (list: PlaceList): Handler =>
  (key, value, draft) => {
    if (!Array.isArray(value)) draft.unknown(key);
    for (const item of listAt(value)) readGrant(key, list, item, draft);
  };

const FILESYSTEM: Handlers = {
  allow: grants('write'),
  allow_file: grants('write'),
  read: grants('read'),
  read_file: grants('read'),
  write: grants('write'),
  write_file: grants('write'),
  deny: grants('hide'),
  bypass_protection: grants('expose'),
  ...asides(['suppress_save_prompt', 'ignore']),
  ...rows(
    [
      ...['unix_socket', 'unix_socket_bind', 'unix_socket_connect', 'unix_socket_dir', 'unix_socket_dir_bind'],
      ...['unix_socket_subtree', 'unix_socket_subtree_bind'],
    ],
    'narrower',
    'name the socket in filesystem.write to let it through',
  ),
};

/** Nothing is there but the system and what is granted. */
function readFilesystem(profile: JsonMap, draft: Draft) {
  draft.profile.filesystem.preset = 'minimal';
  draft.profile.isolation = 'barrier';
  readKeys(at(profile, 'filesystem'), FILESYSTEM, draft, 'filesystem');
  const access = at(profile, 'workdir.access');
  if (access === 'readwrite' || access === 'read' || access === 'write') {
    draft.place(access === 'read' ? 'read' : 'write', '$WORKDIR');
    const writeOnly = access === 'write';
    draft.row('workdir.access', writeOnly ? 'wider' : 'same', writeOnly ? WRITE_ONLY : `the working folder: ${access}`);
  } else if (at(profile, 'workdir') !== undefined) draft.row('workdir.access', 'same', 'not there');
  settleWriteOnly(profile, draft);
}

/** What lies in something that can be read, too, is no wider for it. */
function settleWriteOnly(profile: JsonMap, draft: Draft) {
  const readable = ['read', 'allow', 'read_file', 'allow_file'].flatMap((name) =>
    textsAt(at(profile, `filesystem.${name}`)),
  );
  if (['read', 'readwrite'].includes(String(at(profile, 'workdir.access')))) readable.push('$WORKDIR');
  const isReadable = (path: string) => readable.some((one) => path === one || path.startsWith(`${one}/`));
  for (const [i, row] of draft.rows.entries()) {
    const path = /^(?:filesystem\.write(?:_file)?|policy\.add_allow_write)\((.*)\)$/s.exec(row.key)?.[1];
    if (path !== undefined && row.note === WRITE_ONLY && isReadable(path))
      draft.rows[i] = { ...row, fate: 'same', note: 'filesystem.write; it can be read there, too' };
  }
}

const WRITE_ONLY = 'what can be written can be read, too';

function readGrant(prefix: string, list: PlaceList, item: Json, draft: Draft) {
  const path = typeof item === 'string' ? item : at(item, 'path');
  const when = mapAt(item)?.when;
  if (typeof path !== 'string') return draft.unknown(prefix);
  const key = `${prefix}(${quoted(path)})`;
  if (when !== undefined && list !== 'hide' && !textOrTexts(when).some(isHere))
    return draft.row(key, 'narrower', 'left out: its condition is not known to hold here');
  const written = path.replace(/^\$TMPDIR(?=\/|$)/, '/tmp');
  const problem = draft.placeProblem(written);
  if (problem !== undefined)
    return draft.row(key, list === 'hide' ? 'wider' : 'narrower', `left out: ${quoted(problem)}`);
  if (list === 'hide' && written === '/') return draft.row(key, 'wider', '/ cannot be hidden');
  draft.place(list, written);
  const writeOnly = ['filesystem.write', 'filesystem.write_file', 'policy.add_allow_write'].includes(prefix);
  draft.row(key, writeOnly ? 'wider' : 'same', writeOnly ? WRITE_ONLY : `filesystem.${list}`);
}

/** The plainest of nono's conditions; all others count as not holding. */
const isHere = (when: string) => when === 'linux' || when === '!macos';

const KEYRING = 'keyring://nono/';

function readCredential(section: string, source: string, value: Json, draft: Draft) {
  const key = `${section}(${quoted(source)})`;
  const target = typeof value === 'string' ? value : at(value, 'env_var');
  if (typeof target !== 'string') return draft.unknown(key);
  const scheme = /^([a-z-]+):\/\//.exec(source)?.[1];
  if (scheme !== undefined && !['op', 'bw', 'env', 'file', 'keyring'].includes(scheme))
    return draft.row(key, 'narrower', `no credential comes from ${scheme}://`);
  if (scheme === undefined && !/^[\w.@-]{1,128}$/.test(source))
    return draft.row(key, 'narrower', 'this is not the name of an account');
  if (draft.credential(key, scheme === undefined ? `${KEYRING}${source}` : source, target))
    draft.row(key, 'same', `env_credentials ${target}`);
}

const DOMAINS = ['allow_domain', 'proxy_allow', 'allow_proxy'];
const PORTS = ['open_port', 'port_allow', 'allow_port'];

/** Its proxy is on as soon as anything is said about hosts or credentials; then only named hosts are reached. */
function readNetwork(section: Json | undefined, draft: Draft) {
  const has = (keys: readonly string[]) => keys.some((key) => listAt(at(section, key)).length > 0);
  const profile = at(section, 'network_profile');
  const filtered =
    has([...DOMAINS, 'deny_domain', 'credentials', 'proxy_credentials']) ||
    (profile ?? null) !== null ||
    entriesAt(at(section, 'custom_credentials')).length > 0;
  const domains: Handler = (key, value) => {
    for (const item of listAt(value)) readDomain(key, item, draft);
  };
  const ports: Handler = (key, value) => {
    for (const port of listAt(value)) readPort(key, port, filtered, draft);
  };
  const handlers: Handlers = {
    ...Object.fromEntries(DOMAINS.map((name) => [name, domains])),
    ...Object.fromEntries(PORTS.map((name) => [name, ports])),
    ...NETWORK,
    deny_domain: (key, value) => {
      for (const host of draft.texts(key, value)) draft.host(key, 'deny', host);
      draft.row(key, 'narrower', 'network.deny; nothing else is reached but what is named');
    },
    connect_port: (key) => {
      const isHeld = filtered || at(section, 'block') === true;
      draft.row(
        key,
        isHeld ? 'narrower' : 'wider',
        isHeld ? 'only the hosts that are named' : 'hosts, not ports alone',
      );
    },
  };
  readKeys(section, handlers, draft, 'network');
  for (const [name, service] of entriesAt(at(section, 'custom_credentials')))
    readService(section, name, service, draft);
  if (at(section, 'block') === true) draft.profile.network = { block: true };
  else if (filtered) draft.closeUnlessNamed();
}

const NETWORK: Handlers = {
  block: (key, value, draft) =>
    draft.row(key, 'same', value === true ? 'network off' : 'network on, unless hosts are named'),
  ...rows(['listen_port', 'listen_port_range'], 'same', 'it has a loopback of its own'),
  ...rows(['open_port_range'], 'narrower', 'left out: name the ports one by one'),
  ...rows(['allow_http2', 'no_proxy'], 'same', 'every protocol passes, to the hosts that are named'),
  ...rows(['approval_backends', 'approval_defaults'], 'narrower', 'nobody is asked'),
  network_profile: (key, value, draft) =>
    draft.row(
      key,
      value === null ? 'same' : 'narrower',
      'only the hosts that are named here; `cordon net sets` has sets of hosts',
    ),
  ...done(['custom_credentials']),
  ...rows(
    ['credentials', 'proxy_credentials'],
    'narrower',
    'those that are described here; nono has more of its own, which are left out',
  ),
  ...rows(
    ['tls_intercept', 'upstream_proxy', 'external_proxy', 'upstream_bypass', 'external_proxy_bypass'],
    'narrower',
    'connections go through no other proxy',
  ),
};

/** A service whose key the proxy puts in: here the command holds a placeholder that is swapped on the way to that host. */
function readService(section: Json | undefined, name: string, service: Json, draft: Draft) {
  const key = `network.custom_credentials.${name}`;
  const enabled = [...textsAt(at(section, 'credentials')), ...textsAt(at(section, 'proxy_credentials'))].includes(name);
  if (!enabled) return draft.row(key, 'same', 'described, but not in use');
  const entry = serviceEntry(service);
  if (entry === undefined || !draft.brokered(key, entry))
    return draft.row(key, 'narrower', 'left out: its variable, host, place or endpoints cannot be said');
  for (const host of entry.for) draft.host(key, 'allow', host);
  draft.row(key, 'same', `env_credentials ${entry.target}, for ${entry.for.join(', ')}`);
}

/** What may hold a service back further, or give it another log-in: left out as a whole with it. */
const SERVICE_LIMITS = wordsIn('auth aws_auth spiffe redeem_phantoms endpoint_policy rate_limit path_pattern');
const SERVICE_TLS = ['tls_ca', 'tls_client_cert', 'tls_client_key'];

function serviceEntry(service: Json): BrokeredEntry | undefined {
  const says = (key: string) => !['undefined', 'null', '[]'].includes(String(JSON.stringify(at(service, key) ?? null)));
  if ([...SERVICE_LIMITS, ...SERVICE_TLS].some(says)) return undefined;
  const text = (way: string) => (typeof at(service, way) === 'string' ? (at(service, way) as string) : undefined);
  const [upstream, reference] = [text('upstream'), text('credential_key')];
  const host = /^https:\/\/([^/?#@\s]+)\/?$/.exec(upstream ?? '')?.[1];
  const target = text('env_var') ?? /^env:\/\/(\w+)$/.exec(reference ?? '')?.[1];
  const [as, endpoints] = [placeOf(text('inject_mode'), text), endpointsOf(listAt(at(service, 'endpoint_rules')))];
  if (host === undefined || target === undefined || reference === undefined || as === undefined) return undefined;
  if (endpoints === undefined || /^(cmd|apple-password):/.test(reference)) return undefined;
  const source = /^[a-z]+:\/\//.test(reference) ? reference : `${KEYRING}${reference}`;
  return { target, source, for: [host], as: [as], ...endpoints };
}

function placeOf(mode: string | undefined, text: (way: string) => string | undefined): string | undefined {
  if (mode === 'query_param') return `query ${text('query_param_name') ?? ''}`;
  if (mode === 'basic_auth') return 'authorization';
  if (mode !== undefined && mode !== 'header') return undefined;
  const header = (text('inject_header') ?? 'authorization').toLowerCase();
  return header === 'authorization' ? header : `header ${header}`;
}

/** Methods and paths are two lists here: pairs can be said only where one of the two is always the same. */
function endpointsOf(rules: readonly Json[]): Pick<BrokeredEntry, 'methods' | 'paths'> | undefined {
  if (rules.length === 0) return {};
  const [methods, paths] = ['method', 'path'].map((way) => [
    ...new Set(rules.map((rule) => String(at(rule, way)))),
  ]) as [string[], string[]];
  if (methods.length > 1 && paths.length > 1) return undefined;
  if (!methods.includes('*')) return { methods, paths };
  return methods.length > 1 ? undefined : { paths };
}

function readDomain(prefix: string, item: Json, draft: Draft) {
  if (typeof item === 'string') {
    draft.host(prefix, 'allow', item);
    return draft.row(`${prefix}(${quoted(item)})`, 'narrower', 'network.allow; without a port it means 80 and 443');
  }
  const domain = at(item, 'domain');
  if (typeof domain !== 'string') return draft.unknown(prefix);
  if (listAt(at(item, 'endpoints')).length === 0) return readDomain(prefix, domain, draft);
  draft.row(
    `${prefix}(${quoted(domain)})`,
    'narrower',
    'left out: requests without a credential are not told apart by method and path',
  );
}

function readPort(prefix: string, port: Json, filtered: boolean, draft: Draft) {
  const number = Number(port);
  const sayable = Number.isInteger(number) && number >= 1 && number <= 65_535;
  if (sayable && filtered) draft.profile.network.allow = [...(draft.profile.network.allow ?? []), `@host:${number}`];
  draft.row(
    `${prefix}(${quoted(String(port))})`,
    sayable ? 'same' : 'narrower',
    sayable ? 'a port of this machine' : 'no single port',
  );
}

const OTHERS: Handlers = {
  groups: (key, value, draft) => {
    draft.row(key, 'narrower', "Cordon's own lists decide what is shown of the system and the home");
    readGroups(key, at(value, 'include'), draft);
  },
  ...rows(['trust_groups'], 'narrower', "Cordon's own lists decide what is shown of the system and the home"),
  security: (key, value, draft) => {
    draft.row(key, 'narrower', 'processes, signals and memory of others are always out of reach');
    readGroups(`${key}.groups`, at(value, 'groups'), draft);
  },
  ...rows(['linux'], 'narrower', 'sockets of the machine are cut off'),
  ...rows(['hooks', 'session_hooks'], 'narrower', 'nothing of it runs'),
  ...rows(['open_urls', 'allow_launch_services'], 'narrower', 'nothing of the desktop is opened'),
  ...rows(['allow_gpu'], 'narrower', '/dev is private'),
  ...rows(['packs'], 'narrower', 'not looked at'),
  ...rows(['credential_providers', 'credential_routes'], 'narrower', 'left out: log-ins are not watched for tokens'),
  ...rows(['allow_parent_of_protected'], 'narrower', 'only on macOS'),
  ...rows(['binary'], 'narrower', 'give it on the command line'),
  ...rows(['command_args'], 'narrower', 'give them on the command line'),
  ...rows(['credential_capture'], 'narrower', 'not run; env_credentials may have a command of its own'),
  ...rows(['interactive'], 'same', 'terminals always work'),
  ...asides(['meta', 'diagnostics', 'rollback', 'undo', 'unsafe_macos_seatbelt_rules', 'skipdirs']),
  commands: (key, value, draft) => {
    const denies = textsAt(at(value, 'deny')).length > 0;
    draft.row(
      key,
      denies ? 'wider' : 'same',
      denies ? 'commands are not told apart by their names' : 'any can be started',
    );
  },
  command_policies: (key, value, draft) => {
    const named = entriesAt(at(value, 'commands')).length > 0;
    const note = 'commands inside are not told apart; a shim for each can be: cordon tool add';
    draft.row(key, named ? 'wider' : 'same', named ? note : 'none is named');
  },
  policy: (key, value, draft) => readKeys(value, POLICY, draft, key),
  ...done(['environment', 'filesystem', 'workdir', 'network', 'env_credentials', 'secrets', 'extends', '$schema']),
  ...done(['platform_overrides']),
};

/** Groups grant, or deny what Cordon keeps back anyway; but some deny commands by their names. */
function readGroups(key: string, groups: Json | undefined, draft: Draft) {
  const names = listAt(groups).map((item) => (typeof item === 'string' ? item : at(item, 'name')));
  for (const name of names)
    if (typeof name === 'string' && /^dangerous_commands(?!_macos)/.test(name))
      draft.row(`${key}(${quoted(name)})`, 'wider', 'commands are not told apart by their names');
}

/** How earlier versions changed what a base says. */
const POLICY: Handlers = {
  add_allow_read: grants('read'),
  add_allow_write: grants('write'),
  add_allow_readwrite: grants('write'),
  add_deny_access: grants('hide'),
  override_deny: grants('expose'),
  ...rows(['exclude_groups'], 'narrower', "Cordon's own lists decide what is shown of the system and the home"),
  add_deny_commands: (key, value, draft) => {
    const denies = textsAt(value).length > 0;
    draft.row(key, denies ? 'wider' : 'same', denies ? 'commands are not told apart by their names' : '');
  },
};
