import { KINDS } from '../check/kinds/kind.ts';
import { DEPLOYMENTS } from '../exchange/deploy.ts';
import { FORMATS } from '../exchange/from/importer.ts';
import { TARGETS } from '../exchange/to/view.ts';
import { type FlagSpec, JSON_FLAG } from './flags.ts';
import { IN_FLAG, POLICY_FLAGS, QUIET_FLAGS } from './run-flags.ts';

/*
 * The flags of each command, for its parser, its help, the completion and the manual page alike. Those that say which policy a launch gets are
 * in run-flags.ts, which the quick way of `run` takes along.
 */

export const PROFILE_FLAGS: readonly FlagSpec[] = [
  { name: '--all', help: 'diff: also what is the same' },
  { name: '--name', value: 'NAME', help: 'init: what the profile is called' },
  {
    name: '--agent',
    value: 'KIND',
    help: 'init: the agent it is for: claude-code, codex, gemini, agent (default) or none',
    offers: ['claude-code', 'codex', 'gemini', 'agent', 'none'],
  },
  {
    name: '--tool',
    value: 'KIND',
    help: 'init: what it works with: node, python, rust, go; repeatable',
    offers: ['node', 'python', 'rust', 'go'],
  },
  { name: '--credential', value: 'VAR', help: 'init: a credential it gets from the vault; repeatable' },
  { name: '--yes', help: 'init: ask nothing' },
  { name: '--force', help: 'init: write over a profile of that name' },
  JSON_FLAG,
];

export const IMPORT_FLAGS: readonly FlagSpec[] = [
  { name: '--name', value: 'NAME', help: 'what the profile is called (default: after the file)' },
  {
    name: '--as',
    value: 'FORMAT',
    help: `what the file is, when its contents do not tell: ${FORMATS.join(', ')}`,
    choices: FORMATS,
  },
  { name: '--only', value: 'PART', help: 'of a file with several: this service or tool' },
  { name: '--accept', value: 'KEY', help: 'a point in which the result lets more through than the source; repeatable' },
  { name: '--vault', help: 'put credentials that stand in the file into the vault' },
  { name: '--force', help: 'write over a profile of that name' },
  { name: '--dry-run', help: 'show what would become of it, write nothing' },
  JSON_FLAG,
];

export const CHANGES_FLAGS: readonly FlagSpec[] = [
  { name: '--force', help: 'apply: also where the real file has changed since' },
  { name: '--all', help: 'drop: what every launch put aside' },
  { name: '--kept', help: 'drop: what comes back, caches and settings' },
  JSON_FLAG,
];

export const EXPORT_FLAGS: readonly FlagSpec[] = [
  {
    name: '--as',
    value: 'FORMAT',
    help: `in whose words: ${TARGETS.join(', ')}; or to be started elsewhere: ${DEPLOYMENTS.join(', ')}`,
    choices: [...TARGETS, ...DEPLOYMENTS],
  },
  { name: '--image', value: 'IMAGE', help: 'pod, job, compose: the image, which has Cordon in it' },
  {
    name: '--accept',
    value: 'KEY',
    help: 'a point in which the result lets more through than the profile; repeatable',
  },
  JSON_FLAG,
];

export const CHECK_FLAGS: readonly FlagSpec[] = [
  { name: '--format', value: 'FORMAT', help: 'text (default), json or sarif', choices: ['text', 'json', 'sarif'] },
  {
    name: '--as',
    value: 'KIND',
    help: `what the files are, when their names do not tell: ${KINDS.join(', ')}`,
    choices: KINDS,
  },
  { name: '--fix', help: 'fix what can be fixed safely: modes, .gitignore, comments that silence nothing' },
  JSON_FLAG,
];

export const DOCTOR_FLAGS: readonly FlagSpec[] = [
  JSON_FLAG,
  { name: '--cache', help: 'show the plans that are kept, so that the same run starts at once' },
  { name: '--clear', help: 'with --cache: remove them; the next runs are planned anew' },
];

/** What an agent refuses is parsed, so that it can be said why, and not offered. */
export const NOT_FOR_AGENTS = ['--agent', '--tool', '--base'];

export const AGENT_FLAGS: readonly FlagSpec[] = [
  { name: '--model', value: 'MODEL', help: 'the model, in the words of that agent' },
  { name: '--workdir', value: 'DIR', help: 'run: the folder it works in (default: this one)' },
  { name: '--timeout', value: 'SECONDS', help: 'run: end it after this time' },
  { name: '--own-permissions', help: 'run: leave the agent its own rules about which tools need asking' },
  { ...IN_FLAG, help: `run: ${IN_FLAG.help}` },
  ...QUIET_FLAGS,
  ...POLICY_FLAGS,
  JSON_FLAG,
];

export const PROVE_FLAGS: readonly FlagSpec[] = [
  ...POLICY_FLAGS,
  { name: '--under', value: 'PREFIX', help: "another launcher to compare with, such as 'env -i'; repeatable" },
  { name: '--only', value: 'GROUP|ID', help: 'only this group of probes, or this one; repeatable' },
  { name: '--timeout', value: 'SECONDS', help: 'how long all of it may take (default 900)' },
  JSON_FLAG,
  { name: '--sarif', help: 'leaks as SARIF 2.1.0' },
  { name: '--html', value: 'FILE', help: 'also write a page with the whole matrix' },
];

const SESSION_FLAGS: readonly FlagSpec[] = [
  { name: '--skills', value: 'DIR', help: 'a folder of skills, or one skill; repeatable' },
  { name: '--profile', value: 'NAME|FILE', help: 'what sessions may use: limits, network, redaction, more paths' },
  {
    ...IN_FLAG,
    offers: ['podman:', 'docker:'],
    help: 'each call in a container of its own: podman:IMAGE or docker:IMAGE',
  },
  { name: '--log', value: 'FORMAT', help: 'lines on stderr as text or json', choices: ['text', 'json'] },
];

export const MCP_FLAGS: readonly FlagSpec[] = [
  { name: '--user', value: 'USER', help: 'whose secrets the sandbox gets' },
  { name: '--workspace', value: 'DIR', help: 'the folder that is writable inside, as /workspace' },
  ...SESSION_FLAGS,
];

export const SERVE_FLAGS: readonly FlagSpec[] = [
  { name: '--workspaces', value: 'DIR', help: 'the folder with the workspaces of the users, one named as each user' },
  { name: '--make-workspaces', help: 'make the workspace of a user who has none yet' },
  {
    name: '--pods',
    value: 'FILE',
    help: 'on Kubernetes: a pod for each active user, made of this manifest, instead of --workspaces',
  },
  { name: '--warm-pods', value: 'N', help: 'with --pods: how many are kept ready that nobody has had (default 2)' },
  ...SESSION_FLAGS,
  {
    name: '--tokens',
    value: 'FILE|DIR',
    help: "where the hashed tokens are, if not in Cordon's home; a mounted Secret, for one",
  },
  { name: '--shard', value: 'I/N', help: 'serve only the users that fall to server I of N; host/N: by the host name' },
  { name: '--peers', value: 'URL,...', help: 'where the N servers are, {} for the number; others are handed on there' },
  { name: '--listen', value: 'ADDRESS:PORT', help: 'where to listen (default 127.0.0.1:8730)' },
  { name: '--allow-host', value: 'HOST', help: 'a Host besides those of this machine; repeatable' },
  {
    name: '--allow-origin',
    value: 'ORIGIN',
    help: 'a web page that may call, such as https://app.example; repeatable',
  },
  { name: '--max-sessions', value: 'N', help: 'open sessions of one user (default 8)' },
  { name: '--max-calls', value: 'N', help: 'calls of one user at once (default 8)' },
  { name: '--max-rate', value: 'N', help: 'requests of one user a minute (default 600)' },
  { name: '--max-request', value: 'BYTES', help: 'size of one request (default 4194304)' },
  { name: '--idle', value: 'SECONDS', help: 'a session that nobody uses for so long is closed (default 1800)' },
  { name: '--drain', value: 'SECONDS', help: 'how long running calls may go on after a TERM (default 30)' },
  { ...JSON_FLAG, help: 'token list: machine-readable output' },
];

export const UI_FLAGS: readonly FlagSpec[] = [
  { name: '--decide', help: 'also decide there: files that were put aside, hosts that are asked for' },
  { name: '--static', value: 'DIR', help: 'write the page as it is now into this folder, and end' },
  { name: '--port', value: 'N', help: 'the port on 127.0.0.1 (default: a free one)' },
];

export const NET_FLAGS: readonly FlagSpec[] = [
  { name: '--follow', help: 'log: go on as connections are made' },
  { name: '--last', value: 'N', help: 'log: only the newest N (default 20; 0 for all)' },
  { name: '--launch', help: 'allow: for the rest of that launch, not only this time' },
  { name: '--profile', value: 'NAME|FILE', help: 'allow: in this profile too, for later launches' },
  JSON_FLAG,
];

/** What `creds import` reads. */
export const IMPORT_FORMS = ['.env', '1password-env', 'doppler-json', 'docker-env'] as const;

export const CREDS_FLAGS: readonly FlagSpec[] = [
  JSON_FLAG,
  {
    name: '--as',
    value: 'FORM',
    help: 'import: .env (default), 1password-env, doppler-json (default for .json) or docker-env',
    choices: IMPORT_FORMS,
  },
  { name: '--all', help: 'import: every value, not only what looks like a credential' },
  { name: '--replace', help: 'import: put references in place of the values' },
  { name: '--force', help: 'import: replace other values that the vault has under these names' },
  { name: '--keyring', help: 'init: keep the key of the vault in the keyring' },
  { name: '--file', help: 'init: keep it in a file that only you can read' },
  { name: '--passphrase', help: 'init: keep it under a passphrase, asked at every use' },
];

export const EXCEPT_FLAG: FlagSpec = {
  name: '--except',
  value: 'PAT',
  many: true,
  help: 'env deny: exceptions of the patterns of this call',
};

export const SUGGEST_FLAGS: readonly FlagSpec[] = [
  { name: '--time', value: 'SECONDS', help: 'suggest: how long to try at most (default 60)' },
  { name: '--seed', value: 'N', help: 'suggest: the order of the trials (default 1)' },
  JSON_FLAG,
];

export const TRUST_FLAGS: readonly FlagSpec[] = [{ name: '--yes', help: 'ask nothing' }, JSON_FLAG];

export const AUDIT_FLAGS: readonly FlagSpec[] = [
  { name: '--last', value: 'N', help: 'only the newest N (default 20; 0 for all)' },
  { name: '--since', value: 'TIME', help: 'only since then: 30m, 12h, 7d, or a date such as 2026-01-31' },
  { name: '--command', value: 'NAME', help: 'only this program, by its name or path' },
  { name: '--user', value: 'USER', help: 'only sessions of this user' },
  JSON_FLAG,
];
