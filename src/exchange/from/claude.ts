import { type Draft, quoted } from '../draft.ts';
import { at, entriesAt, type Json, textsAt } from '../json.ts';
import { CLAUDE_ASIDE } from './asides.ts';
import { asides, done, type Handlers, type Importer, readKeys, rows } from './importer.ts';
import { type PathForm, protectedFiles, readCredentials, readFilesystem, readSandboxNetwork } from './srt.ts';

/** Source: the JSON Schema of Claude Code's settings in SchemaStore, its pages on settings, permissions and sandboxing. */
export const claude: Importer = {
  format: 'claude',
  title: 'Claude Code',
  syntax: 'JSON',
  recognises: ({ data, path }) =>
    at(data, 'permissions.allow') !== undefined ||
    at(data, 'permissions.deny') !== undefined ||
    at(data, 'sandbox.enabled') !== undefined ||
    isOnlySettings(data, path) ||
    /(^|\/)(\.claude|claude-code)\/[^/]*settings[^/]*\.json$/.test(path),
  read: ({ data }, draft) => {
    draft.profile.environment.base = 'all';
    for (const [name, value] of entriesAt(at(data, 'env'))) {
      if (typeof value === 'string') draft.set(`env.${name}`, name, value);
      else draft.unknown(`env.${name}`);
    }
    readSandbox(at(data, 'sandbox'), draft);
    readPermissions(at(data, 'permissions'), draft);
    readKeys(data, { ...asides(CLAUDE_ASIDE), ...done(['env', 'sandbox', 'permissions']) }, draft);
  },
};

/** A file of settings that says nothing else than `env` and keys of this tool. */
const isOnlySettings = (data: Json | undefined, path: string) =>
  /(^|\/)settings[^/]*\.json$/.test(path) &&
  at(data, 'env') !== undefined &&
  entriesAt(data).every(([key]) => key === 'env' || CLAUDE_ASIDE.includes(key));

/** In rules `//` is absolute, `/` relative to the settings, `~/` the home, all else relative to where it is started. */
const rulePath: PathForm = (path) => {
  if (path.startsWith('//')) return path.slice(1);
  if (/^~(\/|$)/.test(path)) return path;
  const rest = path.replace(/^\.?\/+/, '').replace(/^\.$/, '');
  return rest === '' ? '$WORKDIR' : `$WORKDIR/${rest}`;
};

/** In the sandbox's own lists `/` is absolute, too. */
const sandboxPath: PathForm = (path) => (/^\/(?!\/)/.test(path) ? path : rulePath(path));

function readSandbox(sandbox: Json | undefined, draft: Draft) {
  if (at(sandbox, 'enabled') !== true) {
    draft.row('sandbox.enabled', 'narrower', 'commands run freely there; here the home is held back, as always');
    for (const [name] of entriesAt(sandbox))
      if (name !== 'enabled') draft.row(`sandbox.${name}`, 'same', 'counts for nothing while the sandbox is off');
    return;
  }
  draft.row('sandbox.enabled', 'same', 'the barrier');
  readFilesystem('sandbox.filesystem', at(sandbox, 'filesystem'), sandboxPath, draft);
  denyAsOlderVersions(sandbox, draft);
  readSandboxNetwork('sandbox.network', at(sandbox, 'network'), draft);
  readCredentials('sandbox.credentials', at(sandbox, 'credentials'), sandboxPath, draft);
  readKeys(sandbox, SANDBOX, draft, 'sandbox');
  protectedFiles(draft);
}

/** There `/x` was relative to the settings: what is denied is denied in either reading. */
function denyAsOlderVersions(sandbox: Json | undefined, draft: Draft) {
  for (const [name, list] of [
    ['denyRead', 'hide'],
    ['denyWrite', 'read'],
  ] as const) {
    const paths = textsAt(at(sandbox, `filesystem.${name}`)).filter((path) => /^\/(?!\/)./.test(path));
    for (const path of paths) if (draft.placeProblem(path) === undefined) draft.place(list, `$WORKDIR${path}`);
  }
}

const SANDBOX: Handlers = {
  ...done(['enabled', 'filesystem', 'network', 'credentials']),
  failIfUnavailable: (key, value, draft) => {
    if (value === true) draft.profile.isolation = 'barrier';
    draft.row(key, 'same', value === true ? 'isolation barrier' : '');
  },
  ...rows(['excludedCommands', 'allowUnsandboxedCommands'], 'narrower', 'nothing runs outside the barrier'),
  ...rows(
    ['enableWeakerNestedSandbox', 'allowNestedUserNamespaces', 'enableWeakerNetworkIsolation', 'allowAppleEvents'],
    'narrower',
    'the barrier stays as it is',
  ),
  ...asides(['autoAllowBashIfSandboxed', 'ripgrep', 'bwrapPath', 'socatPath', 'ignoreViolations', 'enabledPlatforms']),
};

const RULE = /^(Read|Edit|Write|WebFetch|Bash|[\w-]+)(?:\((.*)\))?$/s;

/** What a rule keeps from files or hosts holds for commands as well; which commands Claude may run, Claude decides. */
function readPermissions(permissions: Json | undefined, draft: Draft) {
  const handlers: Handlers = {
    deny: (key, value) => {
      for (const rule of draft.texts(key, value)) readDeny(key, rule, draft);
    },
    additionalDirectories: (key, value) => {
      for (const path of draft.texts(key, value)) readDirectory(key, path, draft);
    },
    ...asides(['allow', 'ask', 'defaultMode'], 'whom Claude asks before it runs something'),
    ...asides(['disableBypassPermissionsMode', 'disableAutoMode'], 'whom Claude asks before it runs something'),
    ...asides(['denyInsteadOfPrompting', 'workingDirectoriesAsGiven'], 'whom Claude asks before it runs something'),
    ...asides(['blockFileToolReadsOutsideWorkingDirectories', 'blockReadsExemptPaths'], "about Claude's own tools"),
    ...rows([READS, WRITES], 'same', 'filesystem workspace, where it is on'),
  };
  readKeys(permissions, handlers, draft, 'permissions');
  if (at(permissions, READS) === true || at(permissions, WRITES) === true) onlyWorkingFolders(draft);
}

const READS = 'blockReadsOutsideWorkingDirectories';
const WRITES = 'blockWritesOutsideWorkingDirectories';

/** No rule lifts it, so what others let be read is left out again. */
function onlyWorkingFolders({ profile: { filesystem } }: Draft) {
  filesystem.preset = 'workspace';
  filesystem.read = filesystem.read?.filter((path) => /^\$WORKDIR(\/|$)/.test(path)) ?? [];
}

function readDirectory(prefix: string, path: string, draft: Draft) {
  const written = path.startsWith('/') ? path : rulePath(path);
  const problem = /(^|\/)\.\.(\/|$)/.test(path) ? 'it leads out of where it is started' : draft.placeProblem(written);
  if (problem === undefined) draft.place('write', written);
  draft.row(
    `${prefix}(${quoted(path)})`,
    problem === undefined ? 'same' : 'narrower',
    problem === undefined ? 'filesystem.write' : `left out: ${quoted(problem)}`,
  );
}

function readDeny(prefix: string, rule: string, draft: Draft) {
  const key = `${prefix}(${quoted(rule)})`;
  const [, tool = '', what = ''] = RULE.exec(rule) ?? [];
  if (tool === 'Read' || tool === 'Edit' || tool === 'Write') return denyPath(key, tool, what, draft);
  if (tool === 'WebFetch' && what.startsWith('domain:')) {
    if (draft.profile.network.block !== true) draft.host(prefix, 'deny', what.slice('domain:'.length));
    return draft.row(key, 'same', 'network.deny, for commands too');
  }
  if (tool === 'Bash')
    return draft.row(key, 'wider', 'commands are not told apart by their words; Claude itself still is');
  return draft.aside(key, "about the agent's own tools, which Claude still keeps to");
}

function denyPath(key: string, tool: string, pattern: string, draft: Draft) {
  const path = rulePath(pattern.replace(/\/\*\*$/, ''));
  const problem = pattern === '' ? 'without a path' : draft.placeProblem(path);
  if (problem !== undefined) return draft.row(key, 'wider', `for commands: ${quoted(problem)}`);
  draft.place(tool === 'Read' ? 'hide' : 'read', path);
  draft.row(key, 'same', `filesystem.${tool === 'Read' ? 'hide' : 'read'}, for commands too`);
}
