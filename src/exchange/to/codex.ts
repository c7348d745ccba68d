import { type Exporter, hasLetters, simpleText, type View } from './view.ts';

const FORM = { home: '~', workdir: '.' };

/** `shell_environment_policy`, and `sandbox_mode` or, where hosts or hidden places are named, a permission profile. */
export const toCodex: Exporter = (view) => {
  const environment = environmentOf(view);
  const sandbox = needsPermissions(view) ? permissionsOf(view) : sandboxOf(view);
  view.ownRows();
  return {
    text: `# ${view.name}, from Cordon\n${tomlText({ ...sandbox, shell_environment_policy: environment })}`,
    rows: view.rows,
  };
};

/** Patterns in words of Codex, which takes all of them in any case. */
function textsOf(view: View, key: string, patterns: View['inherited'], otherwise: 'narrower' | 'wider'): string[] {
  return patterns.flatMap((pattern) => {
    const text = simpleText(pattern);
    const shown = `${key} ${pattern.anyCase ?? pattern.source}`;
    if (text === undefined) {
      view.row(shown, otherwise, 'left out: Codex knows * and ? alone');
      return [];
    }
    const anyCase = pattern.anyCase !== undefined || !hasLetters(text);
    if (anyCase) view.row(shown, 'same', '');
    else caseRow(view, otherwise === 'wider' ? 'narrower' : 'wider');
    return [text];
  });
}

/** Said once, however many patterns there are. */
function caseRow(view: View, fate: 'narrower' | 'wider'): void {
  const key = fate === 'wider' ? '(upper and lower case)' : 'deny_vars (upper and lower case)';
  if (!view.rows.some((row) => row.key === key)) view.row(key, fate, 'they count alike there');
}

function environmentOf(view: View): Record<string, unknown> {
  const { base, allow, deny } = view.policy;
  const exclude = textsOf(
    view,
    'deny_vars',
    deny.map(({ pattern }) => pattern),
    'wider',
  );
  for (const { pattern, except } of deny)
    if (except.length > 0)
      view.row(`deny_vars ${pattern.anyCase ?? pattern.source}`, 'narrower', 'its exceptions are left out');
  const values = view.values;
  const plain = ['all', 'core', 'none'].includes(base.preset) && (allow.length === 0 || base.preset === 'all');
  const inherit = plain ? base.preset : 'all';
  if (plain) view.row(`base ${base.preset}`, 'same', '');
  const listed = plain ? [] : textsOf(view, 'allow', view.inherited, 'narrower');
  if (!plain && listed.length === 0) return { inherit: 'none', exclude, set: Object.fromEntries(values) };
  const include = [...listed, ...(plain ? [] : values.map(([name]) => name))];
  return {
    inherit,
    ignore_default_excludes: true,
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(values.length === 0 ? {} : { set: Object.fromEntries(values) }),
    ...(include.length === 0 ? {} : { include_only: [...new Set(include)] }),
  };
}

function needsPermissions({ policy: { filesystem, network } }: View): boolean {
  return network.mode === 'names' || filesystem.hide.length + filesystem.read.length > 0;
}

function workspaceRow(view: View): void {
  const { preset, workspace, expose } = view.policy.filesystem;
  if (preset !== 'all') view.row(`filesystem ${preset}`, 'wider', 'everything on the machine can be read there');
  if (workspace.mode === 'aside') view.row('workspace aside', 'wider', 'what is written there stays');
  if (expose.length > 0) view.row('filesystem.expose', 'same', 'can be read there anyway');
}

function sandboxOf(view: View): Record<string, unknown> {
  const { filesystem, network } = view.policy;
  workspaceRow(view);
  view.row('network', 'same', '');
  if (filesystem.preset === 'all' && network.mode === 'on' && filesystem.workspace.mode === 'real')
    return { sandbox_mode: 'danger-full-access' };
  if (filesystem.workspace.mode === 'read-only') {
    if (network.mode === 'on') view.row('network on', 'narrower', 'off there in read-only mode');
    return { sandbox_mode: 'read-only' };
  }
  const roots = filesystem.write.map((path) => view.path(path, FORM));
  return {
    sandbox_mode: 'workspace-write',
    sandbox_workspace_write: {
      network_access: network.mode === 'on',
      ...(roots.length === 0 ? {} : { writable_roots: roots }),
    },
  };
}

function permissionsOf(view: View): Record<string, unknown> {
  const { filesystem, network } = view.policy;
  workspaceRow(view);
  const places = (paths: readonly string[], word: string) => paths.map((path) => [view.path(path, FORM), word]);
  const rules = {
    ':root': 'read',
    ':workspace_roots': filesystem.workspace.mode === 'read-only' ? 'read' : 'write',
    ...Object.fromEntries([
      ...places(filesystem.read, 'read'),
      ...places(filesystem.write, 'write'),
      ...places(filesystem.hide, 'deny'),
    ]),
  };
  const sayable = (text: string) => !text.startsWith('@') && !text.includes('=');
  const domains = (['allow', 'deny'] as const).flatMap((list) =>
    view
      .hosts(list)
      .filter(sayable)
      .map((host) => [host, list]),
  );
  for (const host of view.hosts('allow').filter((text) => !sayable(text)))
    view.row(`network.allow ${host}`, 'narrower', 'left out');
  view.row(
    'network',
    network.mode === 'names' ? 'wider' : 'same',
    network.mode === 'names' ? 'a host without a port means every port there' : '',
  );
  const connections =
    network.mode === 'off'
      ? { enabled: false }
      : { enabled: true, ...(network.mode === 'names' ? { domains: Object.fromEntries(domains) } : {}) };
  return { default_permissions: view.name, permissions: { [view.name]: { filesystem: rules, network: connections } } };
}

/** What is written out: texts, booleans, lists of texts, and tables of these. */
type Value = string | boolean | readonly string[] | { readonly [key: string]: Value };

/** A little TOML: plain values first, then a section for each table. Strings of JSON are strings of TOML. */
function tomlText(table: Record<string, unknown>, way: readonly string[] = []): string {
  const entries = Object.entries(table) as [string, Value][];
  const plain = entries.filter(([, value]) => !isTable(value));
  const tables = entries.filter(([, value]) => isTable(value));
  const lines = plain.map(([key, value]) => `${keyText(key)} = ${JSON.stringify(value)}\n`).join('');
  const head = way.length > 0 && (lines !== '' || tables.length === 0) ? `\n[${way.map(keyText).join('.')}]\n` : '';
  return `${head}${lines}${tables.map(([key, value]) => tomlText(value as Record<string, unknown>, [...way, key])).join('')}`;
}

const isTable = (value: Value) => typeof value === 'object' && !Array.isArray(value);
const keyText = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
