import { release } from 'node:os';
import { isAbsolute } from 'node:path';
import { STOPPED } from '../../../prove/cell.ts';
import { Ground } from '../../../prove/ground.ts';
import { Interrupted, onGround } from '../../../prove/on-ground.ts';
import { PROBES } from '../../../prove/probes/index.ts';
import { ProveProblem } from '../../../prove/problem.ts';
import { type BarrierState, commitmentsOf } from '../../../prove/promise.ts';
import { proofAsJson } from '../../../prove/report/json.ts';
import { columnsOf, exitCodeOf, type MachineFacts, type Report } from '../../../prove/report/report.ts';
import { runProbes } from '../../../prove/run.ts';
import { selected } from '../../../prove/select.ts';
import { type Bytes, bytesOfText, showText, textOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { probeBarrier } from '../../launch/probe.ts';
import { nearest } from '../../policy/nearest.ts';
import { keepRun } from '../../ui/records/proofs.ts';
import { PROVE_FLAGS } from '../command-flags.ts';
import { type Context, showWarnings } from '../context.ts';
import { flagValues, numberOf, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { policyFromFlags, refuseContainer } from '../start-policy.ts';
import { progressBar } from '../ui/progress.ts';
import { otherLaunchers, ownLauncher } from './launchers.ts';
import { outputOf } from './output.ts';

const TRIAL_MS = 20_000;
const TOTAL_S = 900;

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: PROVE_FLAGS });
  const output = outputOf(parsed, context);
  try {
    const report = await prove(parsed, context);
    keepRun(context.folders.state, report.date, proofAsJson(report));
    await output.show(report);
    return endingWith(exitCodeOf(report));
  } catch (error) {
    if (error instanceof Interrupted) return endingWith(error.exitCode);
    throw error instanceof ProveProblem ? shown(error) : error;
  }
}

const shown = ({ kind, message, where, hint, cause }: ProveProblem) =>
  new CordonError(kind, message, { where, hint, cause });

/** What a launcher left open, or a process that we may not end, keeps nobody waiting. */
function endingWith(code: number): number {
  setTimeout(() => process.exit(code), 500).unref();
  return code;
}

async function prove(parsed: ParsedArguments, context: Context): Promise<Report> {
  refuseWords(parsed);
  const probes = selected(
    PROBES,
    flagValues(parsed, '--only').map((value) => textValue(value, '--only')),
    nearest,
  );
  const totalMs = (numberOf(parsed, '--timeout', /^[1-9]\d{0,5}$/, 'whole seconds') ?? TOTAL_S) * 1000;
  await refuseContainer(parsed, context, 'prove');
  const policy = await policyFromFlags(parsed, context);
  showWarnings(policy.warnings, context);
  const own = await ownLauncher(parsed, policy, context);
  const barrier = probeBarrier();
  const commitments = commitmentsOf(policy, barrier);
  const ground = new Ground(temporaryFolder(context), ourselves());
  return onGround(ground, async (stop) => {
    const timer = setTimeout(() => stop.abort(), totalMs).unref();
    const launchers = [own, ...(await otherLaunchers(parsed, context, { folder: ground.root, signal: stop.signal }))];
    const bar = progressBar(context);
    const limits = { trialMs: TRIAL_MS, signal: stop.signal };
    const rows = await runProbes({
      probes,
      launchers,
      commitments,
      ground,
      limits,
      onProgress: (done, all) => bar.show(done, all, `${done} of ${all} probes`),
    }).finally(bar.clear);
    clearTimeout(timer);
    const complete = !rows.some(({ cells }) => cells.includes(STOPPED));
    const date = new Date().toISOString();
    return { date, machine: machineFacts(barrier), columns: columnsOf(launchers), commitments, rows, complete };
  });
}

function refuseWords({ words, rest = [] }: ParsedArguments): void {
  const [word] = [...words, ...rest];
  if (word !== undefined)
    throw usageError(
      `prove takes no word such as '${showText(word)}'`,
      'the probes are what is run; choose with --only',
    );
}

/** The front gives us no TMPDIR of our own. */
function temporaryFolder({ env }: Context): string {
  const given = textOfBytes(env.get(bytesOfText('TMPDIR')) ?? bytesOfText('')) ?? '';
  return isAbsolute(given) ? given : '/tmp';
}

function ourselves() {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) throw new CordonError('platform', 'the probes need Linux');
  return { uid, gid };
}

function machineFacts({ found }: BarrierState): MachineFacts {
  const user = process.getuid?.() === 0 ? 'root' : 'ordinary';
  return { system: process.platform, kernel: release(), arch: process.arch, user, barrier: showText(found) };
}
