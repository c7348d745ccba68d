import { wordsIn } from '../../host/bytes.ts';
import { presetPatterns } from '../../policy/presets/presets.ts';
import { type Draft, quoted } from '../draft.ts';
import { at, entriesAt, type Json, type JsonMap, mapAt } from '../json.ts';
import { CODEX_ASIDE } from './asides.ts';
import { asides, done, type Handlers, type Importer, readKeys, rows } from './importer.ts';

/** Source: Codex's protocol/shell_environment.rs, core/config.schema.json, its page on permissions, and what its program takes for a key. */
export const codex: Importer = {
  format: 'codex',
  title: 'Codex',
  syntax: 'TOML',
  recognises: ({ data, path }) =>
    ['shell_environment_policy', 'sandbox_mode', 'sandbox_workspace_write', 'default_permissions'].some(
      (key) => at(data, key) !== undefined,
    ) || /(^|\/)\.codex\/config\.toml$/.test(path),
  read: (input, draft) => {
    const config = withProfile(mapAt(input.data) ?? {}, draft);
    readEnvironment(at(config, 'shell_environment_policy'), draft);
    if (config.sandbox_mode === undefined && config.default_permissions !== undefined) readPermissions(config, draft);
    else readSandbox(config, draft);
    readProxy(at(config, 'features.network_proxy'), draft);
    readKeys(config, { ...asides(CODEX_ASIDE), ...done(READ) }, draft);
  },
};

const READ = wordsIn(
  'shell_environment_policy sandbox_mode sandbox_workspace_write default_permissions permissions profile profiles',
);

/** A profile that the file selects is laid over the rest, as Codex does. */
function withProfile(config: JsonMap, draft: Draft): JsonMap {
  const selected =
    typeof config.profile === 'string' ? mapAt(at(config, 'profiles')?.[config.profile as never]) : undefined;
  if (config.profile !== undefined)
    draft.row('profile', selected === undefined ? "can't be said" : 'same', 'the profile that the file selects', {
      needsAccept: selected === undefined,
    });
  if (config.profiles !== undefined) draft.aside('profiles', 'only the selected one counts');
  return { ...config, ...selected };
}

/**
 * Codex's order: what is inherited, minus its own patterns unless they are ignored, minus `exclude`; then `set`; then of all that only what
 * `include_only` matches. Patterns know `*` and `?`, in any case.
 */
function readEnvironment(section: Json | undefined, draft: Draft) {
  const known = ['inherit', 'ignore_default_excludes', 'exclude', 'set', 'include_only', 'experimental_use_profile'];
  const key = (name: string) => `shell_environment_policy.${name}`;
  for (const [name] of entriesAt(section)) if (![...known, 'filters'].includes(name)) draft.unknown(key(name));
  const policy = withFilters(section, draft);
  const include = includeAt(policy, draft);
  readInherit(at(policy, 'inherit'), include, draft);
  if (at(policy, 'ignore_default_excludes') === false) {
    for (const pattern of ['*KEY*', '*SECRET*', '*TOKEN*']) draft.deny({ pattern, ignore_case: true });
    draft.row(key('ignore_default_excludes'), 'same', 'deny_vars *KEY*, *SECRET*, *TOKEN* in any case');
  } else if (at(policy, 'ignore_default_excludes') !== undefined) draft.row(key('ignore_default_excludes'), 'same', '');
  for (const pattern of possible(draft.texts(key('exclude'), at(policy, 'exclude')))) {
    const denied = draft.deny({ pattern: draft.simpleGlob(pattern), ignore_case: true });
    if (denied) draft.row(`${key('exclude')}(${quoted(pattern)})`, 'same', 'deny_vars, in any case');
    else draft.row(`${key('exclude')}(${quoted(pattern)})`, 'wider', 'patterns with white space cannot be said');
  }
  for (const [name, value] of entriesAt(at(policy, 'set'))) readSet(key(`set.${name}`), name, value, include, draft);
  if (at(policy, 'experimental_use_profile') === true)
    draft.row(
      key('experimental_use_profile'),
      'narrower',
      'start-up files of shells are read without what they export',
    );
  else if (at(policy, 'experimental_use_profile') === false) draft.row(key('experimental_use_profile'), 'same', '');
}

/** `filters` says the same as the two lists, pattern by pattern; Codex refuses a file that has both. */
function withFilters(section: Json | undefined, draft: Draft): Json | undefined {
  const filters = at(section, 'filters');
  if (filters === undefined) return section;
  const key = 'shell_environment_policy.filters';
  const entries = entriesAt(filters);
  const isMixed = at(section, 'exclude') !== undefined || at(section, 'include_only') !== undefined;
  const isOdd = mapAt(filters) === undefined || entries.some(([, word]) => word !== 'include' && word !== 'exclude');
  if (isMixed || isOdd) {
    draft.unknown(key);
    return section;
  }
  draft.row(key, 'same', 'as exclude and include_only');
  const of = (wanted: string) => entries.flatMap(([pattern, word]) => (word === wanted ? [pattern] : []));
  return { ...mapAt(section), exclude: of('exclude'), include_only: of('include') };
}

/** Undefined where nothing is said. A list whose patterns match no name at all lets nothing through, which is something else. */
function includeAt(policy: Json | undefined, draft: Draft): readonly string[] | undefined {
  const list = at(policy, 'include_only');
  const texts = draft.texts('shell_environment_policy.include_only', list);
  return texts.length === 0 ? undefined : possible(texts);
}

/** Patterns that can match a name at all: none is empty or has a `=`. */
const possible = (patterns: readonly string[]): readonly string[] =>
  patterns.filter((pattern) => pattern !== '' && !/[=\0]/.test(pattern));

function readInherit(inherit: Json | undefined, include: readonly string[] | undefined, draft: Draft) {
  const base = typeof inherit === 'string' && ['all', 'core', 'none'].includes(inherit) ? inherit : 'all';
  const { environment } = draft.profile;
  const key = 'shell_environment_policy.inherit';
  if (inherit !== undefined && base !== inherit) draft.unknown(key);
  else draft.row(key, 'same', inherit === undefined ? "base all, Codex's default" : `base ${base}`);
  if (include === undefined) {
    environment.base = base;
    return;
  }
  environment.base = 'none';
  environment.allow_vars = [];
  const names =
    base === 'core' ? presetPatterns('core').filter((name) => include.some((one) => matches(one, name))) : [];
  const globs = base === 'all' ? include.map((one) => draft.simpleGlob(one)) : names;
  for (const pattern of globs)
    if (!draft.allowGlob({ pattern, ignore_case: true }))
      draft.row(`shell_environment_policy.include_only(${quoted(pattern)})`, 'narrower', 'has white space in it');
  draft.row('shell_environment_policy.include_only', 'same', 'allow_patterns, in any case');
}

/** Codex's own matching of a whole name, for what is known while importing. */
function matches(pattern: string, name: string): boolean {
  const source = [...pattern].map(
    (one) => ({ '*': '.*', '?': '.' })[one] ?? one.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  );
  return new RegExp(`^${source.join('')}$`, 'isu').test(name);
}

function readSet(key: string, name: string, value: Json, include: readonly string[] | undefined, draft: Draft) {
  if (typeof value !== 'string') return draft.unknown(key);
  if (include !== undefined && !include.some((pattern) => matches(pattern, name)))
    return draft.row(key, 'same', 'not set: include_only takes it away again');
  draft.set(key, name, value);
}

function readSandbox(config: JsonMap, draft: Draft) {
  const mode = config.sandbox_mode ?? 'workspace-write';
  const write = at(config, 'sandbox_workspace_write');
  const { filesystem, network } = draft.profile;
  if (mode === 'danger-full-access') {
    filesystem.preset = 'all';
    draft.row('sandbox_mode', 'same', 'filesystem all, network on');
  } else if (mode === 'read-only' || mode === 'workspace-write') {
    filesystem.preset = 'guarded';
    if (mode === 'read-only') filesystem.workspace = 'read-only';
    network.block = mode === 'read-only' || at(write, 'network_access') !== true;
    draft.row('sandbox_mode', 'narrower', 'as Codex has it, and of the home only what programs need can be read');
  } else draft.unknown('sandbox_mode');
  for (const [key, value] of entriesAt(write)) readWorkspaceWrite(key, value, mode, draft);
}

/** Codex's own proxy: while it is on, only hosts that are named are reached, in whichever mode. */
function readProxy(proxy: Json | undefined, draft: Draft) {
  const key = 'features.network_proxy';
  const { network } = draft.profile;
  const isOn = proxy === true || (mapAt(proxy) !== undefined && at(proxy, 'enabled') !== false);
  if (proxy === undefined || network.block === true) return;
  if (!isOn) return typeof proxy === 'boolean' || mapAt(proxy) ? draft.aside(key, 'off') : draft.unknown(key);
  if (network.allow !== undefined && at(proxy, 'domains') !== undefined) return draft.unknown(`${key}.domains`);
  readKeys(proxy, { ...NETWORK, ...PROXY }, draft, key);
  draft.closeUnlessNamed();
  draft.row(key, 'narrower', 'only the hosts that are named');
}

function readWorkspaceWrite(name: string, value: Json, mode: Json, draft: Draft) {
  const key = `sandbox_workspace_write.${name}`;
  if (mode !== 'workspace-write') return draft.row(key, 'same', `counts for nothing in mode ${quoted(String(mode))}`);
  if (name === 'network_access') draft.row(key, 'same', value === true ? 'network on' : 'network off');
  else if (name === 'exclude_slash_tmp' || name === 'exclude_tmpdir_env_var')
    draft.row(key, 'narrower', '/tmp and TMPDIR are private and empty in any case');
  else if (name === 'writable_roots') for (const path of draft.texts(key, value)) writable(key, path, draft);
  else draft.unknown(key);
}

function writable(key: string, path: string, draft: Draft) {
  const problem = draft.placeProblem(path);
  if (problem !== undefined)
    return draft.row(`${key}(${quoted(path)})`, 'narrower', `not writable: ${quoted(problem)}`);
  draft.place('write', path);
  draft.row(`${key}(${quoted(path)})`, 'same', 'filesystem.write');
}

/** `default_permissions` names a built-in profile, or one of `[permissions]`. */
function readPermissions(config: JsonMap, draft: Draft) {
  const name = String(config.default_permissions);
  const builtIn: Record<string, string> = {
    ':read-only': 'read-only',
    ':workspace': 'workspace-write',
    ':danger-full-access': 'danger-full-access',
  };
  if (Object.hasOwn(builtIn, name)) {
    readSandbox({ sandbox_mode: builtIn[name] as string }, draft);
    return draft.row('default_permissions', 'same', `the built-in ${name}`);
  }
  const profile = mapAt(mapAt(config.permissions)?.[name]);
  if (profile === undefined) return draft.unknown('default_permissions');
  draft.profile.filesystem.preset = 'guarded';
  draft.profile.filesystem.workspace = 'read-only';
  if (mapAt(profile.network) === undefined) draft.profile.network.block = true;
  draft.row('default_permissions', 'narrower', 'this profile; of the home only what programs need can be read');
  readKeys(profile, PERMISSIONS, draft, `permissions.${name}`);
}

const PERMISSIONS: Handlers = {
  ...asides(['description']),
  extends: (key, value, draft) => {
    if (value !== ':workspace' && value !== ':read-only') return draft.unknown(key);
    if (value === ':workspace') delete draft.profile.filesystem.workspace;
    draft.row(key, 'same', value);
  },
  filesystem: (key, value, draft) => {
    for (const [path, access] of entriesAt(value)) readAccess(key, path, access, draft);
  },
  network: (key, value, draft) => readNetwork(key, value, draft),
  workspace_roots: (key, value, draft) => {
    for (const [root, on] of entriesAt(value)) if (on !== false) writable(key, root, draft);
  },
};

const PROXY: Handlers = rows(['credentials', 'credential_broker'], 'narrower', 'nothing is injected');

const SPECIAL_PLACES = [':root', ':minimal', ':tmpdir', ':slash_tmp', '/'];
const WORKSPACE_PLACES = [':workspace_roots', ':project_roots', ':cwd'];

function readAccess(prefix: string, path: string, access: Json, draft: Draft) {
  const key = `${prefix}(${quoted(path)})`;
  if (path === 'glob_scan_max_depth') return draft.aside(`${prefix}.${path}`, 'how deep Codex looks for patterns');
  if (WORKSPACE_PLACES.includes(path)) return readWorkspace(key, access, draft);
  const word = typeof access === 'string' ? access : undefined;
  if (SPECIAL_PLACES.includes(path) && (word === 'read' || /tmp/.test(path)))
    return draft.row(key, 'narrower', 'the system is read-only, /tmp private');
  const list =
    word === undefined ? undefined : ({ read: 'read', write: 'write', none: 'hide', deny: 'hide' } as const)[word];
  if (list === undefined) return draft.unknown(key);
  const problem = draft.placeProblem(path);
  if (problem !== undefined)
    return draft.row(key, list === 'hide' ? 'wider' : 'narrower', `left out: ${quoted(problem)}`);
  draft.place(list, path);
  draft.row(key, 'same', `filesystem.${list}`);
}

/** The word for all of it, or a table of paths in it. */
function readWorkspace(key: string, access: Json, draft: Draft) {
  const { filesystem } = draft.profile;
  const whole = typeof access === 'string' ? access : at(access, '.');
  if (whole === 'write') {
    delete filesystem.workspace;
    draft.row(key, 'same', 'the workspace, writable');
  } else draft.row(key, 'same', 'the workspace, read-only');
  for (const [path, word] of entriesAt(access))
    if (path !== '.') readAccess(key, /^[~/$:]/.test(path) ? path : `$WORKDIR/${path}`, word, draft);
}

function readNetwork(prefix: string, value: Json, draft: Draft) {
  const { network } = draft.profile;
  if (at(value, 'enabled') !== true) {
    network.block = true;
    return draft.row(`${prefix}.enabled`, 'same', 'network off');
  }
  readKeys(value, NETWORK, draft, prefix);
}

const NETWORK: Handlers = {
  ...rows(['enabled'], 'same', 'network on'),
  domains: (key, value, draft) => readDomains(key, value, draft),
  mode: (key, value, draft) =>
    draft.row(
      key,
      value === 'limited' ? 'wider' : 'same',
      value === 'limited' ? 'methods of requests are not looked at' : '',
    ),
  ...rows(
    ['unix_sockets', 'allow_local_binding', 'dangerously_allow_all_unix_sockets'],
    'narrower',
    'sockets of the machine are cut off, ports are its own',
  ),
  ...rows(['mitm'], 'narrower', 'connections go through no other proxy'),
  ...asides(['proxy_url', 'socks_url', 'enable_socks5', 'enable_socks5_udp'], "about Codex's own proxy"),
  ...asides(['allow_upstream_proxy', 'dangerously_allow_non_loopback_proxy'], "about Codex's own proxy"),
};

/** `**.` is a domain and what lies below it. With a `*` that is allowed, only the denied ones count. */
function readDomains(key: string, domains: Json, draft: Draft) {
  const entries = entriesAt(domains);
  const open = entries.some(([host, word]) => host === '*' && word === 'allow');
  for (const [host, word] of entries) {
    if (word !== 'allow' && word !== 'deny') draft.unknown(`${key}(${quoted(host)})`);
    else if (host !== '*') for (const one of hostsOf(host)) draft.host(key, word, one);
  }
  if (open) draft.host(key, 'allow', '*');
  else draft.closeUnlessNamed();
  draft.row(key, 'narrower', 'network.allow and deny; a host without a port means 80 and 443');
}

const hostsOf = (host: string) => (host.startsWith('**.') ? [host.slice(3), host.slice(1)] : [host]);
