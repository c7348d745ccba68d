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
