import { KINDS } from '../check/kinds/kind.ts';
import type { Bytes } from '../host/bytes.ts';
import type { Context } from './context.ts';
import { type FlagSpec, JSON_FLAG } from './flags.ts';
import { POLICY_FLAGS } from './policy-flags.ts';

export interface CommandModule {
  run(args: readonly Bytes[], context: Context): Promise<number> | number;
}

/** One table for dispatch, help, completion and the man page. */
export interface CommandEntry {
  readonly name: string;
  readonly usage: readonly string[];
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  readonly words?: readonly string[];
  readonly load: () => Promise<CommandModule>;
}

export const PROFILE_FLAGS: readonly FlagSpec[] = [
  { name: '--all', help: 'diff: also what is the same' },
  { name: '--name', value: 'NAME', help: 'init: what the profile is called' },
  { name: '--agent', value: 'AGENT', help: 'init: the agent it is for: claude-code, codex, gemini, agent or none' },
  { name: '--tool', value: 'TOOL', help: 'init: what it works with: node, python, rust, go; repeatable' },
  { name: '--credential', value: 'VAR', help: 'init: a credential it gets from the vault; repeatable' },
  { name: '--yes', help: 'init: ask nothing' },
  { name: '--force', help: 'init: write over a profile of that name' },
  JSON_FLAG,
];

export const CHECK_FLAGS: readonly FlagSpec[] = [
  { name: '--format', value: 'FORMAT', help: 'text, json or sarif', choices: ['text', 'json', 'sarif'] },
  { name: '--as', value: 'KIND', help: 'what the files are, when their names do not tell', choices: KINDS },
  JSON_FLAG,
];

export const AGENT_FLAGS: readonly FlagSpec[] = [
  { name: '--model', value: 'MODEL', help: 'the model, in the words of that agent' },
  { name: '--workdir', value: 'DIR', help: 'run: the folder it works in (default: this one)' },
  { name: '--timeout', value: 'SECONDS', help: 'run: end it after this time' },
  { name: '--own-permissions', help: 'run: leave the agent its own rules about which tools need asking' },
  ...POLICY_FLAGS,
  JSON_FLAG,
];

const SESSION_FLAGS: readonly FlagSpec[] = [
  { name: '--skills', value: 'DIR', help: 'a folder of skills, or one skill; repeatable' },
  { name: '--profile', value: 'NAME|FILE', help: 'what sessions may use: limits, network, redaction, more paths' },
  { name: '--log', value: 'FORMAT', help: 'lines on stderr as text or json', choices: ['text', 'json'] },
];

export const MCP_FLAGS: readonly FlagSpec[] = [
  { name: '--user', value: 'USER', help: 'whose secrets the sandbox gets' },
  { name: '--workspace', value: 'DIR', help: 'the folder that is writable inside, as /workspace' },
  ...SESSION_FLAGS,
];

export const SERVE_FLAGS: readonly FlagSpec[] = [
  { name: '--workspaces', value: 'DIR', help: 'the folder with the workspaces of the users, one named as each user' },
  ...SESSION_FLAGS,
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

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    usage: ['cordon run [POLICY] [--dry-run] [--json] -- CMD ARG…'],
    summary: 'start a command with only what the policy lets through',
    flags: [...POLICY_FLAGS, { name: '--dry-run', help: 'show decisions and plan, start nothing' }, JSON_FLAG],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'explain',
    usage: ['cordon explain [POLICY] [NAME…] [--json]'],
    summary: 'say for every variable whether it arrives, by which rule, and why',
    flags: [...POLICY_FLAGS, JSON_FLAG],
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'agent',
    usage: [
      'cordon agent list [--json]',
      'cordon agent run NAME [--model M] [--workdir D] [--role R] [--id I] [--timeout S] [--json] PROMPT',
      'cordon agent env NAME [POLICY] [VAR…] [--json]',
      'cordon agent command NAME [--model M] [--json] PROMPT',
    ],
    summary: 'start a coding agent with only what it needs, and see what it does',
    flags: AGENT_FLAGS,
    words: ['list', 'run', 'env', 'command'],
    load: () => import('./commands/agent.ts'),
  },
  {
    name: 'creds',
    usage: [
      'cordon creds set NAME                  the value from a hidden prompt or stdin',
      'cordon creds list [--json]',
      'cordon creds test NAME|REFERENCE',
      'cordon creds rm NAME',
      'cordon creds export-to-keyring NAME',
      'cordon creds init [--keyring | --file | --passphrase]',
    ],
    summary: 'keep credentials in the vault, for --credential and profiles',
    flags: [
      JSON_FLAG,
      { name: '--keyring', help: 'keep the key of the vault in the keyring (init)' },
      { name: '--file', help: 'keep the key of the vault in a file that only you can read (init)' },
      { name: '--passphrase', help: 'keep the key of the vault under a passphrase (init)' },
    ],
    words: ['set', 'list', 'test', 'rm', 'export-to-keyring', 'init'],
    load: () => import('./commands/creds.ts'),
  },
  {
    name: 'profile',
    usage: [
      'cordon profile list | schema [--json]',
      'cordon profile show NAME|FILE [--json]',
      'cordon profile validate NAME|FILE… [--json]',
      'cordon profile diff NAME|FILE NAME|FILE [--all] [--json]',
      'cordon profile init [--name NAME] [--agent A] [--tool T]… [--credential VAR]… [--yes] [--force]',
    ],
    summary: 'list, read, check, compare and write profiles',
    flags: PROFILE_FLAGS,
    words: ['list', 'show', 'validate', 'init', 'diff', 'schema'],
    load: () => import('./commands/profile.ts'),
  },
  {
    name: 'tool',
    usage: [
      'cordon tool add CMD…                   let Cordon start it from now on',
      'cordon tool list [--json]',
      'cordon tool config TARGET env [list | base V | allow PAT… | deny PAT… [--except PAT…] | reset]',
      'cordon tool config TARGET fs [list | base PRESET | ro PATH… | rw PATH… | hide PATH… | reset]',
      'cordon tool suggest [--time SECONDS] [--seed N] -- CMD ARG…',
      'cordon tool apply [FILE]               put cordon.toml in force, or replay a file',
      'cordon tool remove TARGET…',
      'cordon tool path [bash | zsh | fish]   the line that puts the shims on PATH',
    ],
    summary: 'give each tool only the variables and files it needs, every time it is typed',
    flags: [
      { name: '--except', value: 'PAT', many: true, help: 'env deny: exceptions of the patterns of this call' },
      { name: '--time', value: 'SECONDS', help: 'suggest: how long to try at most (default 60)' },
      { name: '--seed', value: 'N', help: 'suggest: the order of the trials (default 1)' },
      JSON_FLAG,
    ],
    words: ['add', 'list', 'config', 'suggest', 'apply', 'remove', 'path'],
    load: () => import('./commands/tool.ts'),
  },
  {
    name: 'check',
    usage: ['cordon check [FILE…] [--format text|json|sarif] [--as KIND]'],
    summary: 'find what would hand credentials on: policies, workflows, Dockerfiles, compose files',
    flags: CHECK_FLAGS,
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'mcp',
    usage: ['cordon mcp --user USER --workspace DIR [--skills DIR]… [--profile NAME|FILE]'],
    summary: 'a Bash tool and skills in the sandbox, for an agent that speaks MCP on stdio',
    flags: MCP_FLAGS,
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'serve',
    usage: [
      'cordon serve --workspaces DIR [--skills DIR]… [--profile NAME|FILE] [--listen ADDRESS:PORT]',
      'cordon serve token add USER            a new token, shown once',
      'cordon serve token list [--json]',
      'cordon serve token rm ID|USER',
    ],
    summary: 'the same over HTTP, for many users, each with a token',
    flags: SERVE_FLAGS,
    words: ['token'],
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'audit',
    usage: ['cordon audit [--last N] [--json]'],
    summary: 'what was launched, with which decisions',
    flags: [{ name: '--last', value: 'N', help: 'only the newest N (default 20; 0 for all)' }, JSON_FLAG],
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'doctor',
    usage: ['cordon doctor [--json]'],
    summary: 'what this machine can protect, and how to get the rest',
    flags: [JSON_FLAG],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    usage: ['cordon completion bash|zsh|fish'],
    summary: 'print a completion script for your shell',
    flags: [],
    words: ['bash', 'zsh', 'fish'],
    load: () => import('./commands/completion.ts'),
  },
];
