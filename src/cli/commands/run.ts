import type { Bytes } from '../../host/bytes.ts';
import { findCommand, homesOf, workingFolder } from '../../host/folders.ts';
import { handOver } from '../../launch/hand-over.ts';
import { heldBack } from '../../launch/held-back.ts';
import { textToKeep } from '../../launch/keep.ts';
import { trimKeptPlans } from '../../launch/kept-plans.ts';
import { type Prepared, prepare } from '../../launch/prepare.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Secret } from '../../secrets/secret.ts';
import { targetOf } from '../container-target.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { keepingOf } from '../keeping.ts';
import { isQuiet, POLICY_FLAGS, policyForCommand, RUN_FLAGS } from '../policy-flags.ts';
import { logLaunch, logsLaunches } from '../ui/log.ts';
import { showNotes, showWarnings } from '../ui/warnings.ts';

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
    return start(prepared, [...notes, ...warnings].length > 0 ? undefined : toKeep(prepared, policy, parsed, context));
  const { launchRedacted } = await import('../../launch/launch-redacted.ts');
  return (await launchRedacted(prepared.plan, secrets)).exitCode;
}

/** What is redacted goes through our hands. */
const isShownByUs = ({ redact }: Policy) => redact && process.stderr.isTTY;

/** Without HOME the home that the system knows of would be taken for it, which is nobody's to throw away. */
function isThrowaway(parsed: ParsedArguments, { env }: Context): boolean {
  const isAsked = hasFlag(parsed, '--throwaway-home');
  if (isAsked && homesOf(env).home === undefined)
    throw usageError('--throwaway-home needs HOME', 'set HOME to the folder that was made for this run');
  return isAsked;
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

/** Most launches need none, and then nothing is loaded for them. */
async function credentialsOf(
  policy: Policy,
  command: Bytes,
  parsed: ParsedArguments,
  context: Context,
): Promise<ReadonlyMap<Bytes, Secret>> {
  if (policy.credentials.length === 0) return new Map();
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
async function start({ plan }: Prepared, kept: string | undefined): Promise<number> {
  if (handOver(plan, kept)) return 0;
  return (await import('../../launch/stay.ts')).launchAndStay(plan);
}
