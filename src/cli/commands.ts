import { type Bytes, showBytes } from '../host/bytes.ts';
import { nearest } from '../policy/nearest.ts';
import {
  AGENT_FLAGS,
  AUDIT_FLAGS,
  CHANGES_FLAGS,
  CHECK_FLAGS,
  CREDS_FLAGS,
  DOCTOR_FLAGS,
  EXCEPT_FLAG,
  EXPORT_FLAGS,
  IMPORT_FLAGS,
  MCP_FLAGS,
  NET_FLAGS,
  NOT_FOR_AGENTS,
  PROFILE_FLAGS,
  PROVE_FLAGS,
  SERVE_FLAGS,
  SUGGEST_FLAGS,
  TRUST_FLAGS,
  UI_FLAGS,
} from './command-flags.ts';
import type { Context } from './context.ts';
import { type FlagSpec, JSON_FLAG, usageError } from './flags.ts';
import { IN_FLAG, POLICY_FLAGS, QUIET_FLAGS, RUN_FLAGS } from './run-flags.ts';

export interface CommandModule {
  run(args: readonly Bytes[], context: Context): Promise<number> | number;
}

/** One table for dispatch, help, completion and the man page. */
export interface CommandEntry {
  readonly name: string;
  readonly usage: readonly string[];
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  /** Command lines that work as they stand. */
  readonly examples: readonly string[];
  /** The page of docs/ that tells more. */
  readonly page?: string;
  /** What it shows or changes is kept where no sandbox reaches; with `words`, only these of its actions do so. */
  readonly keptOutside?: { readonly what: string; readonly words?: readonly string[] };
  readonly load: () => Promise<CommandModule>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    usage: [
      'cordon run [POLICY] [--dry-run [--plan]] [--json] -- CMD ARG…',
      'cordon run [POLICY] --trace [--write-profile FILE] [--json] -- CMD ARG…',
    ],
    summary: 'start a command with only what the policy lets through',
    flags: [...POLICY_FLAGS, ...RUN_FLAGS, JSON_FLAG],
    examples: [
      "cordon run --allow 'AWS_*' --deny '*SECRET*' -- terraform plan",
      'cordon run --net off --fs workspace -- npm test',
      'cordon run --in podman:node:22 -- npm test',
    ],
    page: 'run.md',
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'shell',
    usage: ['cordon shell [POLICY]'],
    summary: 'your shell with only what the policy lets through, and its name in the prompt',
    flags: [...POLICY_FLAGS, ...QUIET_FLAGS],
    examples: ['cordon shell --net off'],
    page: 'run.md',
    load: () => import('./commands/shell.ts'),
  },
  {
    name: 'explain',
    usage: [
      'cordon explain [POLICY] [--json]  every variable',
      'cordon explain [POLICY] NAME|PATH|HOST… [--json]',
      'cordon explain [POLICY] [--json] -- CMD ARG…',
    ],
    summary: 'say what becomes of a variable, path, socket, host or command, why, and what would change it',
    flags: [...POLICY_FLAGS, IN_FLAG, JSON_FLAG],
    examples: ["cordon explain --allow 'AWS_*' AWS_REGION AWS_SECRET_ACCESS_KEY", 'cordon explain ~/.ssh/id_rsa'],
    page: 'run.md',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'agent',
    usage: [
      'cordon agent list [--json]  installed, logged in, with which keys',
      'cordon agent run NAME [POLICY] [--model M] [--workdir D] [--timeout S] [--json] PROMPT|-',
      'cordon agent env NAME [POLICY] [VAR…] [--json]',
      'cordon agent command NAME [--model M] [--json] PROMPT',
    ],
    summary: 'start a coding agent with only what it needs, and see what it does',
    flags: AGENT_FLAGS.filter(({ name }) => !NOT_FOR_AGENTS.includes(name)),
    examples: ['cordon agent run claude "fix the failing test"'],
    page: 'agents.md',
    load: () => import('./commands/agent.ts'),
  },
  {
    name: 'creds',
    usage: [
      'cordon creds set NAME  the value from a hidden prompt or stdin',
      'cordon creds list [--json]  names, dates, fingerprints; never a value',
      'cordon creds test NAME|SOURCE  whether a launch would get it',
      'cordon creds rm NAME  take it out of the vault',
      'cordon creds import FILE [--as FORM] [--all] [--replace]  the values of a file into the vault',
      'cordon creds take AGENT  its log-in (claude, codex, gemini) out of its file into the vault, for --broker',
      'cordon creds give AGENT  its log-in out of the vault, back into its file',
      'cordon creds init [--keyring | --file | --passphrase]  where the key of the vault is kept',
    ],
    summary: 'keep credentials in the vault, for --credential and profiles',
    flags: CREDS_FLAGS,
    examples: ['cordon creds set OPENAI_API_KEY'],
    page: 'secrets.md',
    keptOutside: { what: 'the vault' },
    load: () => import('./commands/creds.ts'),
  },
  {
    name: 'profile',
    usage: [
      'cordon profile list [--json]',
      'cordon profile show NAME|FILE [--json]  with all it extends, and where each line comes from',
      'cordon profile validate NAME|FILE… [--json]',
      'cordon profile diff NAME|FILE NAME|FILE [--all] [--json]  for your variables as they are now',
      'cordon profile init [--name NAME] [--agent A] [--tool T]… [--credential VAR]… [--yes] [--force]',
      'cordon profile schema  the JSON Schema of a profile',
    ],
    summary: 'list, read, check, compare and write profiles',
    flags: PROFILE_FLAGS,
    examples: [
      'cordon profile init --name web --agent claude-code --tool node --yes',
      'cordon profile diff default locked',
    ],
    page: 'profiles.md',
    keptOutside: { what: 'your profiles', words: ['init'] },
    load: () => import('./commands/profile.ts'),
  },
  {
    name: 'import',
    usage: [
      'cordon import [FILE…] [--name NAME] [--as FORMAT] [--accept KEY]… [--vault] [--force] [--dry-run] [--json]',
    ],
    summary: "take over another tool's policy: Codex, Gemini CLI, Claude Code, srt, nono and more",
    flags: IMPORT_FLAGS,
    examples: ['cordon import ~/.codex/config.toml', 'cordon import --dry-run'],
    page: 'coming-from.md',
    keptOutside: { what: 'your profiles' },
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'export',
    usage: [
      'cordon export --as FORMAT PROFILE [--accept KEY]… [--json]',
      'cordon export --as pod|job|compose --image IMAGE PROFILE [--json] -- CMD ARG…',
    ],
    summary: "a profile in another tool's words, with what they cannot say",
    flags: EXPORT_FLAGS,
    examples: ["cordon export --as srt locked --accept 'filesystem workspace' --accept environment > srt.json"],
    page: 'coming-from.md',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'tool',
    usage: [
      'cordon tool add CMD…  let Cordon start it from now on',
      'cordon tool list [--json]  all, with how many variables pass and are blocked now',
      'cordon tool config TARGET env [list | base V | allow PAT… | deny PAT… [--except PAT…] | reset]',
      'cordon tool config TARGET fs [list | base PRESET | reset]',
      'cordon tool config TARGET fs write|read|hide|expose PATH…',
      'cordon tool config TARGET fs workspace DIR|aside|read-only|real',
      'cordon tool config TARGET net [list | allow HOST… | deny HOST… | off | reset]',
      'cordon tool config TARGET net connections N|silence SECONDS',
      'cordon tool config TARGET in [list | podman:IMAGE | docker:IMAGE | container:NAME | reset]',
      'cordon tool suggest [--time SECONDS] [--seed N] -- CMD ARG…  the smallest policy it works with',
      'cordon tool apply [FILE]  put cordon.toml in force, or replay a file',
      'cordon tool remove TARGET…  let go of it',
      'cordon tool path [bash | zsh | fish]  the line that puts the shims on PATH',
    ],
    summary: 'give each tool only the variables and files it needs, every time it is typed',
    flags: [EXCEPT_FLAG, ...SUGGEST_FLAGS],
    examples: [
      'cordon tool config ruff env base os-common',
      "cordon tool config ruff env deny '*TOKEN*' --except GH_TOKEN",
    ],
    page: 'tools.md',
    keptOutside: { what: 'your tools and their policies', words: ['add', 'list', 'config', 'apply', 'remove'] },
    load: () => import('./commands/tool.ts'),
  },
  {
    name: 'check',
    usage: ['cordon check [FILE…] [--format text|json|sarif] [--as KIND] [--fix]'],
    summary: 'find what would hand credentials on: policies, workflows, images, manifests, settings',
    flags: CHECK_FLAGS,
    examples: [
      'cordon check --format sarif > cordon.sarif',
      'cordon check --fix',
      'cordon check .github/workflows/ci.yml Dockerfile',
    ],
    page: 'check.md',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'prove',
    usage: [
      'cordon prove [POLICY] [--under PREFIX]… [--only GROUP|ID]… [--timeout SECONDS] [--json | --sarif] [--html FILE]',
    ],
    summary: 'try every known way to steal planted secrets under your policy, and show what leaks',
    flags: PROVE_FLAGS,
    examples: ["cordon prove --under 'env -i' --html proof.html", 'cordon prove --profile web --only files'],
    page: 'prove.md',
    load: () => import('./prove/index.ts'),
  },
  {
    name: 'mcp',
    usage: ['cordon mcp --user USER --workspace DIR [--skills DIR]… [--profile NAME|FILE]'],
    summary: 'a Bash tool and skills in the sandbox, for an agent that speaks MCP on stdio',
    flags: MCP_FLAGS,
    examples: ['cordon mcp --user u41 --workspace ~/projects/site --skills ~/skills'],
    page: 'mcp.md',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'serve',
    usage: [
      'cordon serve --workspaces DIR [--skills DIR]… [--profile NAME|FILE] [--listen ADDRESS:PORT]',
      'cordon serve token add USER  a new token, shown once',
      'cordon serve token list [--json]  ids, users and dates; never a token',
      'cordon serve token rm ID|USER  refused from the next request on',
    ],
    summary: 'the Bash tool and skills over HTTP, for many users, each with a token',
    flags: SERVE_FLAGS,
    examples: [
      'cordon serve token add u41',
      'cordon serve --workspaces /srv/agents/workspaces --skills /srv/agents/skills',
    ],
    page: 'mcp.md',
    keptOutside: { what: 'the tokens', words: ['token'] },
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'changes',
    usage: [
      'cordon changes [list] [--json]',
      'cordon changes show [LAUNCH] [PATH...] [--json]',
      'cordon changes diff [LAUNCH] [PATH...]',
      'cordon changes apply [LAUNCH] [PATH...] [--force] [--json]',
      'cordon changes drop [LAUNCH] PATH... | LAUNCH... | --all | --kept',
    ],
    summary: 'what commands wrote outside their workspace: look at it, take it over, drop it',
    flags: CHANGES_FLAGS,
    examples: ['cordon changes', 'cordon changes --json', 'cordon changes drop --all --kept'],
    page: 'changes.md',
    keptOutside: { what: 'what is put aside' },
    load: () => import('./commands/changes.ts'),
  },
  {
    name: 'trust',
    usage: [
      'cordon trust [FILE] [--yes] [--json]  shows what it would change, and asks',
      'cordon trust list [--json]',
      'cordon trust rm FILE',
    ],
    summary: 'put in force the policy that a project carries, or references in a file of variables',
    flags: TRUST_FLAGS,
    examples: ['cordon trust', 'cordon trust .env'],
    page: 'profiles.md',
    keptOutside: { what: 'what you trust' },
    load: () => import('./commands/trust.ts'),
  },
  {
    name: 'audit',
    usage: ['cordon audit [--last N] [--since TIME] [--command NAME] [--user USER] [--json]'],
    summary: 'what was launched, with which decisions',
    flags: AUDIT_FLAGS,
    examples: ['cordon audit --last 3', 'cordon audit --since 12h --command npm'],
    page: 'run.md',
    keptOutside: { what: 'the record of launches' },
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'net',
    usage: [
      'cordon net log [--last N] [--follow] [--json]  what was reached, and what was refused and why',
      'cordon net pending [--json]  hosts that wait for a word, with --net ask',
      'cordon net allow ID… [--launch] [--profile NAME|FILE]  this time, for that launch, or from now on',
      'cordon net deny ID…',
      'cordon net sets [@SET…] [--json]  sets of hosts that have a name, with where each is written down',
    ],
    summary: 'which hosts a command can reach, and what it tried to',
    flags: NET_FLAGS,
    examples: ['cordon net log', 'cordon net sets @npm @github'],
    page: 'network.md',
    keptOutside: { what: 'the record of connections', words: ['log', 'pending', 'allow', 'deny'] },
    load: () => import('./commands/net.ts'),
  },
  {
    name: 'ui',
    usage: ['cordon ui [--decide] [--port N]', 'cordon ui --static DIR  the same as a folder to keep'],
    summary: 'see in a browser who gets what, why, and what happened',
    flags: UI_FLAGS,
    examples: ['cordon ui --static cordon-page'],
    page: 'ui.md',
    keptOutside: { what: 'the records' },
    load: () => import('./commands/ui.ts'),
  },
  {
    name: 'doctor',
    usage: ['cordon doctor [--json]', 'cordon doctor --cache [--clear] [--json]'],
    summary: 'what this machine can protect, and how to get the rest',
    flags: DOCTOR_FLAGS,
    examples: ['cordon doctor', 'cordon doctor --cache'],
    page: 'troubleshooting.md',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    usage: ['cordon completion bash|zsh|fish'],
    summary: 'print a completion script for your shell',
    flags: [],
    examples: ['source <(cordon completion bash)'],
    load: () => import('./commands/completion.ts'),
  },
];

/** The entry of a command; `unknown` says what is wrong without one, `instead` what stands before the name that may be meant. */
export function commandNamed(
  name: Bytes,
  unknown: string,
  { instead, otherwise = () => 'see cordon --help' }: { readonly instead: string; readonly otherwise?: () => string },
): CommandEntry {
  const command = COMMANDS.find((entry) => entry.name === name);
  if (command !== undefined) return command;
  const names = [...COMMANDS.map((entry) => entry.name), ...(instead === 'cordon' ? ['--version', '--help'] : [])];
  const near = nearest(name, names);
  const hint = near === undefined ? otherwise() : `did you mean ${instead} ${near}?`;
  throw usageError(`${unknown} '${showBytes(name)}'`, hint);
}
