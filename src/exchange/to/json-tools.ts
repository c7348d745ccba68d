import { geminiLists } from '../from/gemini.ts';
import { type Exporter, hasLetters, simpleText, type View } from './view.ts';

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** Tools that hand the whole environment on, but for names. */
function inheritRows(view: View): void {
  if (view.inheritsAll) view.row('environment', 'same', '');
  else view.row('environment', 'wider', 'everything is inherited there');
}

/** Names that are taken away; patterns can't be. */
function deniedNames(view: View): string[] {
  return view.policy.deny.flatMap(({ pattern, except }) => {
    const text = pattern.anyCase ?? pattern.source;
    if (!pattern.exact || except.length > 0) {
      view.row(`deny_vars ${text}`, 'wider', 'patterns are not known there');
      return [];
    }
    view.row(`deny_vars ${text}`, 'same', '');
    return [text];
  });
}

export const toGemini: Exporter = (view) => {
  const lists = geminiLists(view.policy.deny);
  if (!view.inheritsAll) view.row('environment', 'wider', 'Gemini CLI knows no list of what passes');
  if (view.policy.set.length > 0) view.row('set_vars', 'narrower', 'left out: Gemini CLI sets nothing');
  for (const pattern of lists.others)
    view.row(`deny_vars ${pattern.anyCase ?? pattern.source}`, 'wider', 'only names are known there');
  for (const name of lists.blocked) view.row(`deny_vars ${name}`, 'same', '');
  const isolated = view.policy.isolation === 'barrier';
  if (view.policy.network.mode !== 'on' || view.policy.filesystem.preset !== 'all')
    view.row('filesystem, network', 'wider', "held by Gemini CLI's own sandbox, which is another one");
  view.ownRows();
  const redaction = {
    enabled: lists.enabled || lists.blocked.length > 0,
    allowed: lists.allowed,
    blocked: lists.blocked,
  };
  return {
    text: json({
      security: { environmentVariableRedaction: redaction },
      ...(isolated ? { tools: { sandbox: true } } : {}),
    }),
    rows: view.rows,
  };
};

const SRT = { home: '~', workdir: '.' };
const CLAUDE = { home: '~', workdir: '.' };

function sandboxOf(view: View, form: typeof SRT, absolute: string) {
  const { filesystem, network } = view.policy;
  const places = (paths: readonly string[]) => paths.map((path) => view.path(path, form).replace(/^\//, absolute));
  if (filesystem.preset !== 'all')
    view.row(`filesystem ${filesystem.preset}`, 'wider', 'everything that is not denied can be read there');
  if (filesystem.workspace.mode === 'aside') view.row('workspace aside', 'wider', 'what is written there stays');
  const sayable = (host: string) => !host.includes('=') && (!host.startsWith('@') || host.startsWith('@host:'));
  const hosts = view
    .hosts('allow')
    .filter((host) => host !== '*' && sayable(host))
    .map((host) => host.replace('@host:', 'localhost:'));
  const open = network.mode === 'on' || view.hosts('allow').includes('*');
  view.row(
    'network',
    network.mode === 'names' && !open ? 'wider' : 'same',
    network.mode === 'names' && !open ? 'a host without a port means every port there' : '',
  );
  return {
    filesystem: {
      ...(filesystem.preset === 'all' && filesystem.workspace.mode === 'real' ? { disabled: true } : {}),
      denyRead: places(filesystem.hide),
      allowRead: places(filesystem.expose),
      allowWrite: [...(filesystem.workspace.mode === 'read-only' ? [] : ['.']), ...places(filesystem.write)],
      denyWrite: places(filesystem.read),
    },
    network: { ...(open ? { allowAllDomains: true } : {}), allowedDomains: hosts, deniedDomains: view.hosts('deny') },
    names: deniedNames(view),
  };
}

export const toSrt: Exporter = (view) => {
  inheritRows(view);
  const { filesystem, network, names } = sandboxOf(view, SRT, '/');
  if (view.policy.set.length > 0) view.row('set_vars', 'narrower', 'left out: srt sets nothing');
  view.ownRows();
  const credentials =
    names.length === 0 ? {} : { credentials: { envVars: names.map((name) => ({ name, mode: 'deny' })) } };
  return { text: json({ network, filesystem, ...credentials }), rows: view.rows };
};

export const toClaude: Exporter = (view) => {
  inheritRows(view);
  const { filesystem, network, names } = sandboxOf(view, CLAUDE, '//');
  const { disabled, ...places } = filesystem;
  const values = Object.fromEntries(view.values);
  view.ownRows();
  const { allowAllDomains, ...domains } = network;
  if (disabled !== true && allowAllDomains === true)
    view.row('network on', 'narrower', 'Claude Code asks about each host');
  if (view.policy.filesystem.workspace.mode === 'read-only')
    view.row('workspace read-only', 'wider', 'Claude Code can always write where it is started');
  const settings = {
    ...(Object.keys(values).length === 0 ? {} : { env: values }),
    sandbox:
      disabled === true
        ? { enabled: false }
        : {
            enabled: true,
            failIfUnavailable: view.policy.isolation === 'barrier',
            filesystem: { ...places, allowWrite: places.allowWrite.filter((path) => path !== '.') },
            network: domains,
            ...(names.length === 0 ? {} : { credentials: { envVars: names.map((name) => ({ name, mode: 'deny' })) } }),
          },
  };
  return { text: json(settings), rows: view.rows };
};

const NONO = { home: '$HOME', workdir: '$WORKDIR' };

/** Exact names and `PREFIX*`; anything else is left out. */
function nonoPatterns(view: View, key: string, patterns: View['inherited'], otherwise: 'narrower' | 'wider'): string[] {
  return patterns.flatMap((pattern) => {
    const text = simpleText(pattern);
    const shown = `${key} ${pattern.anyCase ?? pattern.source}`;
    const sayable =
      text !== undefined && /^[^*?]*\*?$/.test(text) && (pattern.anyCase === undefined || !hasLetters(text));
    view.row(shown, sayable ? 'same' : otherwise, sayable ? '' : 'left out: nono knows exact names and PREFIX*');
    return sayable ? [text] : [];
  });
}

/** Sources that nono knows, too; its own accounts by their names. */
function credentialsOf({ policy }: View): object {
  const known = policy.credentials.flatMap(({ source, target }) =>
    typeof source === 'string' && /^(keyring:\/\/nono\/|op:|env:|bw:)/.test(source)
      ? [[source.replace('keyring://nono/', ''), target]]
      : [],
  );
  return known.length === 0 ? {} : { env_credentials: Object.fromEntries(known) };
}

function nonoEnvironment(view: View): object {
  const { deny } = view.policy;
  const allow = view.inheritsAll ? undefined : nonoPatterns(view, 'allow', view.inherited, 'narrower');
  const denied = nonoPatterns(
    view,
    'deny_vars',
    deny.map(({ pattern }) => pattern),
    'wider',
  );
  for (const { pattern, except } of deny)
    if (except.length > 0) view.row(`deny_vars ${pattern.source}`, 'narrower', 'its exceptions are left out');
  const set = view.policy.set.map(({ name, value }) => [name, view.path(value, NONO)]);
  // An empty list alone means everything to some versions.
  const all = allow?.length === 0 && !denied.includes('*') ? ['*'] : [];
  return {
    ...(allow === undefined ? {} : { allow_vars: allow }),
    ...(denied.length + all.length === 0 ? {} : { deny_vars: [...denied, ...all] }),
    ...(set.length === 0 ? {} : { set_vars: Object.fromEntries(set) }),
  };
}

export const toNono: Exporter = (view) => {
  const { filesystem, network } = view.policy;
  const places = (paths: readonly string[]) => paths.map((path) => view.path(path, NONO));
  const environment = nonoEnvironment(view);
  const isNarrower = filesystem.preset === 'guarded' || filesystem.preset === 'all';
  const note = isNarrower ? 'only what is named, and the system' : '';
  view.row(`filesystem ${filesystem.preset}`, isNarrower ? 'narrower' : 'same', note);
  const named = network.mode === 'names' && !view.hosts('allow').includes('*');
  if (network.mode === 'names')
    view.row('network', 'wider', 'a host without a port means every port there, and none is denied');
  // nono has a list of its own of variables that never pass.
  view.ownRows([]);
  const expose = filesystem.expose.length === 0 ? {} : { bypass_protection: places(filesystem.expose) };
  const access = filesystem.workspace.mode === 'read-only' ? 'read' : 'readwrite';
  const profile = {
    meta: { name: view.name },
    environment,
    ...credentialsOf(view),
    filesystem: {
      allow: places(filesystem.write),
      read: places(filesystem.read),
      deny: places(filesystem.hide),
      ...expose,
    },
    ...(filesystem.preset === 'minimal' ? {} : { workdir: { access } }),
    network: {
      block: network.mode === 'off',
      ...(named ? { allow_domain: view.hosts('allow').filter((host) => !/[@=]/.test(host)) } : {}),
    },
  };
  return { text: json(profile), rows: view.rows };
};
