import { type BigIntStats, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bytes, bytesOfText, showBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { ensureFolder, realPathOf, textIn } from '../../host/files.ts';
import { findCommand, homesOf, workingFolder } from '../../host/folders.ts';
import { handOver } from '../../launch/hand-over.ts';
import { textToKeep } from '../../launch/keep.ts';
import { trimKeptPlans } from '../../launch/kept-plans.ts';
import { heldBack, type Prepared, prepare } from '../../launch/prepare.ts';
import type { Keeping } from '../../policy/config/changes.ts';
import { saysNothing } from '../../policy/config/says-nothing.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Secret } from '../../secrets/secret.ts';
import { type Context, showNotes, showWarnings } from '../context.ts';
import { hasFlag, JSON_FLAG, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { POLICY_FLAGS, RUN_FLAGS } from '../run-flags.ts';
import { isQuiet, needsValues, policyForCommand, targetOf } from '../start-policy.ts';
import { decisionSummary } from '../ui/decisions.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, {
    flags: [...POLICY_FLAGS, ...RUN_FLAGS, JSON_FLAG],
    stopAtWord: true,
  });
  const rehearsal = hasFlag(parsed, '--dry-run') || hasFlag(parsed, '--plan');
  const isTraced = hasFlag(parsed, '--trace') && !rehearsal;
  if (hasFlag(parsed, '--json') && !rehearsal && !isTraced)
    throw usageError(
      '--json goes with --dry-run or --trace: a launch prints only what the command prints',
      'add --dry-run, or leave out --json',
    );
  const argv = commandOf(parsed);
  const throwawayHome = isThrowaway(parsed, context);
  if (hasFlag(parsed, '--write-profile')) (await tracing()).profileFileOf(parsed);
  const { policy, notes } = await policyForCommand(parsed, argv[0], context);
  showWarnings(policy.warnings, context);
  const quiet = isQuiet(parsed, context);
  if (!quiet) showNotes(notes, context);
  const target = await targetOf(parsed, context);
  if (target !== undefined)
    return (await import('../container-run.ts')).runIn({ argv, policy, quiet, rehearsal, target }, parsed, context);
  const asked = await credentialsOf(policy, argv[0], parsed, context);
  const { credentials, ...held } = await heldBack(policy, asked, context.env, { rehearsal });
  const { keeping, warnings } = await keepingOf(context);
  const prepared = prepare({
    ...held,
    env: context.env,
    argv,
    workdir: workingFolder(),
    credentials,
    keeping,
    record: !rehearsal,
    rehearsal,
    throwawayHome,
    quiet,
    onTerminal: isShownByUs(policy),
    trace: isTraced ? (await tracing()).traceFile(context) : undefined,
  });
  showWarnings([...warnings, ...prepared.warnings], context);
  logLaunch(prepared, context);
  if (rehearsal) return rehearse(prepared, policy, parsed, context);
  if (isTraced) return (await tracing()).runTraced(prepared, policy, parsed, context);
  const secrets = [...credentials, ...(held.broker?.values ?? [])];
  if (!policy.redact || secrets.length === 0)
    return start(prepared, () =>
      [...notes, ...warnings].length > 0 ? undefined : toKeep(prepared, policy, parsed, context),
    );
  const { launchRedacted } = await import('../../launch/launch-redacted.ts');
  return (await launchRedacted(prepared.plan, secrets)).exitCode;
}

/** What is redacted goes through our hands. */
const isShownByUs = ({ redact }: Policy) => redact && process.stderr.isTTY;

/** A home that is not made for the run is nobody's to throw away: without HOME the one that the system knows of would be taken for it. */
function isThrowaway(parsed: ParsedArguments, { env }: Context): boolean {
  if (!hasFlag(parsed, '--throwaway-home')) return false;
  const { home, passwdHome } = homesOf(env);
  if (home === undefined)
    throw usageError('--throwaway-home needs HOME', 'set HOME to the folder that was made for this run');
  if (passwdHome !== undefined && realPathOf(home) === realPathOf(passwdHome))
    throw usageError(
      '--throwaway-home needs a HOME that was made for this run, and this one is your own',
      'HOME=$(mktemp -d) cordon run --throwaway-home -- CMD',
    );
  return true;
}

const tracing = () => import('../trace-run.ts');

async function rehearse(
  prepared: Prepared,
  policy: Policy,
  parsed: ParsedArguments,
  context: Context,
): Promise<number> {
  const { showRehearsal } = await import('../ui/rehearsal.ts');
  const [json, plan] = ['--json', '--plan'].map((flag) => hasFlag(parsed, flag)) as [boolean, boolean];
  return showRehearsal(prepared, policy, { json, plan }, context);
}

async function credentialsOf(
  policy: Policy,
  command: Bytes,
  parsed: ParsedArguments,
  context: Context,
): Promise<ReadonlyMap<Bytes, Secret>> {
  if (!needsValues(policy)) return new Map();
  findCommand(command, context.env); // A mistyped command is no reason to unlock a password manager.
  return (await import('../credentials.ts')).credentialsFor(policy, parsed, context);
}

function commandOf({ rest }: ParsedArguments): readonly [Bytes, ...Bytes[]] {
  const [name, ...args] = rest ?? [];
  if (name === undefined) throw usageError('no command was given', 'write it after --, for example: cordon run -- env');
  return [name, ...args];
}

/** What is said of a launch is said each time. */
function toKeep(prepared: Prepared, policy: Policy, parsed: ParsedArguments, context: Context): string | undefined {
  if (context.witness === undefined || logsLaunches(context) || hasFlag(parsed, '--throwaway-home')) return undefined;
  const text = textToKeep({ prepared, policy, env: context.env, witness: context.witness });
  if (text !== undefined && context.folders.state !== undefined) trimKeptPlans(context.folders.state);
  return text;
}

/** With the native front the plan is handed over and this process ends; else it stays as the parent. */
async function start({ plan }: Prepared, kept: () => string | undefined): Promise<number> {
  if (handOver(plan, kept)) return 0;
  return (await import('../../launch/launch.ts')).launchAndStay(plan);
}

const LOG = bytesOfText('CORDON_LOG');

function logsLaunches({ env }: Pick<Context, 'env'>): boolean {
  const level = env.get(LOG);
  return level === 'info' || level === 'debug';
}

/** CORDON_LOG=info says what was decided in numbers, debug name by name; both on stderr, before the start, never a value. */
function logLaunch({ decisions, plan }: Prepared, context: Context): void {
  if (!logsLaunches(context)) return;
  const level = context.env.get(LOG);
  const say = (text: string) => context.err(`cordon: ${level}: ${plan.name}: ${text}\n`);
  say(`${decisionSummary(decisions).trim()}, isolation ${plan.isolation}`);
  if (level === ('debug' as Bytes)) {
    for (const { name, verdict, rule, origin } of decisions) say(`${verdict} ${showBytes(name)} (${rule}, ${origin})`);
  }
}

/**
 * Whether cordon.toml has to be read for a launch: it may say how much of what is put aside is kept, or it changed since it was last read.
 * Looked for as text: what reads the file is large.
 */
export function needsConfig(context: Context): boolean {
  const needed = known.get(context) ?? isConfigNeeded(context);
  known.set(context, needed);
  return needed;
}

/** A plain launch asks twice: whether it is one, and as every other. */
const known = new WeakMap<Context, boolean>();

function isConfigNeeded(context: Context): boolean {
  const file = configOf(context);
  if (file === undefined || isBlank(file)) return false;
  return mentionsChanges(file) || textIn(seenFile(context)) !== stampOf(file);
}

interface ReadConfig {
  readonly keeping?: Keeping | undefined;
  /** What is wrong with the file, where that stops no launch: said each time. */
  readonly warnings: readonly string[];
}

async function keepingOf(context: Context): Promise<ReadConfig> {
  const file = needsConfig(context) ? configOf(context) : undefined;
  if (file === undefined) return { warnings: [] };
  const keeping = mentionsChanges(file)
    ? (await import('../../policy/config/changes.ts')).readKeeping(file, homesOf(context.env).home)
    : undefined;
  const stamp = stampOf(file);
  if (textIn(seenFile(context)) === stamp) return { keeping, warnings: [] };
  try {
    (await import('../../policy/config/file.ts')).checkConfigFile(file);
    remember(context, stamp);
    return { keeping, warnings: [] };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    const said = `${error.where ?? file}: ${error.message}; nothing in cordon.toml is in force until it is fixed`;
    return { keeping, warnings: [said] };
  }
}

function configOf({ folders }: Context): string | undefined {
  const file = folders.config === undefined ? undefined : join(folders.config, 'cordon.toml');
  return file !== undefined && stampOf(file) !== undefined ? file : undefined;
}

/** One that cannot be read is none of those: that it cannot is said later. */
function isBlank(file: string): boolean {
  try {
    return saysNothing(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

const mentionsChanges = (file: string) => textIn(file).includes('changes');

function stampOf(file: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true }) as BigIntStats;
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}

const seenFile = ({ folders }: Context) => (folders.state === undefined ? '' : join(folders.state, 'config-seen'));

/** So that the next launch need not read it; where nothing can be written, each one does. */
function remember(context: Context, stamp: string | undefined): void {
  try {
    ensureFolder(context.folders.state as string);
    writeFileSync(seenFile(context), stamp ?? '', { mode: 0o600 });
  } catch {
    // Read again, then.
  }
}
