import { CordonError } from '../host/errors.ts';
import { type EndCause, Ending } from '../launch/ending.ts';
import { type Launched, launch } from '../launch/launch.ts';
import type { HelpersLaunch } from '../launch/launches.ts';
import type { LaunchedInPod } from '../launch/pods/launch-in-pod.ts';
import type { LaunchPlan } from '../plan/plan.ts';
import type { Redaction } from '../redact/redaction.ts';
import { Redactor } from '../redact/redactor.ts';
import { callLimit, type Limits, SURROUNDING } from './limits.ts';
import { OutputFile } from './output-file.ts';
import type { CallPlace, LauncherPool, Owner } from './pool.ts';
import type { CallOptions, CallResult } from './types.ts';
import { likelyHits, limitWords } from './words.ts';

export interface Call {
  /** Starts the command; what was not started by then is given up at the signal. */
  readonly start: (place: CallPlace | undefined, givenUp: AbortSignal) => Begun | Promise<Begun>;
  readonly limits: Limits;
  /** The folder for a file of the output, where it is on this machine. */
  readonly workspace: string | undefined;
  readonly options: CallOptions;
  readonly input?: string | undefined;
  readonly redaction?: Redaction | undefined;
  /** Undefined where Node stands in for the launcher. */
  readonly pool: LauncherPool | undefined;
  /** The session, and what it starts on this machine. */
  readonly owner: Owner;
  readonly plan: LaunchPlan | undefined;
  /** What the next call of the session will have around it, where that can be made now. */
  readonly next: () => LaunchPlan | undefined;
  /** Aborted when the session is closed. */
  readonly closing: AbortSignal;
}

type Begun = Launched | HelpersLaunch | LaunchedInPod;

/** A time limit's own exit code, as `timeout` has it; a command may use the same for itself, so `timedOut` tells. */
const EXIT_TIME = 124;
const EXIT_TERM = 143;

/** Starts the plan and waits for its end. Rejects only when the command was not run. */
export async function runCall(call: Call): Promise<CallResult> {
  const { limits, options } = call;
  if (isCancelled(call)) return notStarted();
  const file =
    options.outputFile === undefined || call.workspace === undefined
      ? undefined
      : new OutputFile(call.workspace, options.outputFile, limits.outputFile);
  try {
    return await runSomewhere(call, file);
  } finally {
    file?.close();
  }
}

async function runSomewhere(call: Call, file: OutputFile | undefined): Promise<CallResult> {
  const place = await call.pool?.take(call.owner, call.plan);
  try {
    return isCancelled(call) ? notStarted() : await runIn(call, place, file);
  } catch (error) {
    // What was made ahead may be lost without anybody noticing; the call has another, that is made for it.
    if (place?.launcher.isUnused !== true || isCancelled(call)) throw error;
  } finally {
    if (place !== undefined) call.pool?.leaveCall(place, call.owner, call.next);
  }
  return runSomewhere(call, file);
}

const isCancelled = ({ options, closing }: Call) => options.signal?.aborted === true || closing.aborted;

async function runIn(call: Call, place: CallPlace | undefined, file: OutputFile | undefined): Promise<CallResult> {
  const { limits, options } = call;
  const most = callLimit(options.maxOutput, limits.output);
  const timeoutMs = callLimit(options.timeoutMs, limits.timeoutMs);
  const started = performance.now();
  const output = new CallOutput({ most, redaction: call.redaction, file, onOutput: options.onOutput });
  const launched = await startInTime(call, place, timeoutMs);
  if (launched === 'cancel') return notStarted();
  if (launched === 'time') return notStartedInTime(timeoutMs, limits);
  output.take(launched.child.stdout, 'stdout');
  output.take(launched.child.stderr, 'stderr');
  launched.child.stdin?.on('error', () => undefined); // The command may end without having read.
  launched.child.stdin?.end(call.input ?? '');
  const left = Math.max(0, timeoutMs - Math.round(performance.now() - started));
  const ending = new Ending(launched.child, { timeoutMs: left, signals: [options.signal, call.closing] });
  const { exitCode } = await ended(launched, ending);
  const [stdout, stderr] = [output.kept('stdout'), output.kept('stderr')];
  if (!launched.hasStarted() && ending.cause === undefined) throw neverRun(exitCode, stderr);
  const timedOut = ending.cause === 'time';
  const { bytes: outputBytes, truncated } = output;
  const hits = place?.group?.hits() ?? likelyHits(exitCode, stderr);
  const outputLost = truncated && (file === undefined || file.problem !== undefined);
  const durationMs = Math.round(performance.now() - started);
  const limit = limitWords(
    { ...hits, exitCode, durationMs, timedOut, outputBytes, outputLost, most, timeoutMs, fileProblem: file?.problem },
    limits,
  );
  return {
    exitCode: timedOut ? EXIT_TIME : exitCode,
    ...{ stdout, stderr, truncated, timedOut, outputBytes },
    cancelled: ending.cause === 'cancel',
    ...(limit === undefined ? {} : { limit }),
    ...('note' in launched && typeof launched.note === 'string' ? { note: launched.note } : {}),
    durationMs,
  };
}

export const CHANNELS = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;

/** On this machine, at once. */
export const launchHere =
  (plan: LaunchPlan, { memory, processes }: Limits, input = ''): Call['start'] =>
  (place) => {
    place?.group?.limit({ memory, processes: processes + SURROUNDING });
    return place?.launcher.start(plan, input) ?? launch(plan, CHANNELS);
  };

/** A container takes a while to be there, and may never be: the time of a call begins before. */
async function startInTime({ start, options, closing }: Call, place: CallPlace | undefined, timeoutMs: number) {
  const givenUp = new AbortController();
  const launched = start(place, givenUp.signal);
  if (!(launched instanceof Promise)) return launched;
  let cause: EndCause | undefined;
  const giveUp = (why: EndCause) => () => {
    cause ??= why;
    givenUp.abort();
  };
  const cancel = giveUp('cancel');
  const timer = setTimeout(giveUp('time'), timeoutMs);
  for (const signal of [options.signal, closing]) signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await launched;
  } catch (error) {
    if (cause === undefined) throw error;
    return cause;
  } finally {
    clearTimeout(timer);
    for (const signal of [options.signal, closing]) signal?.removeEventListener('abort', cancel);
  }
}

async function ended({ result }: Begun, ending: Ending): Promise<{ exitCode: number }> {
  try {
    return await result;
  } catch (cause) {
    if (cause instanceof CordonError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    throw new CordonError('session', `the sandbox could not be started (${code}): nothing was run`, { cause });
  } finally {
    ending.done();
  }
}

const OWN_WORDS = /^cordon: (?:[^\n:]*: )?(.*)$/m;

/** What the launcher itself could not do is no result of the command. As nothing was run, all that was written is its own. */
function neverRun(exitCode: number, stderr: Buffer): CordonError {
  const said = OWN_WORDS.exec(stderr.toString('utf8', 0, 65_536))?.[1];
  return new CordonError('launch', said ?? `the sandbox could not be set up (exit code ${exitCode})`, {
    hint: 'nothing was run',
  });
}

function notStartedInTime(timeoutMs: number, limits: Limits): CallResult {
  const hit = { exitCode: EXIT_TIME, durationMs: timeoutMs, timedOut: true, memory: false, processes: false };
  const output = { outputBytes: 0, outputLost: false, most: 0, fileProblem: undefined };
  const limit = limitWords({ ...hit, ...output, timeoutMs }, limits) ?? '';
  return { ...notStarted(), exitCode: EXIT_TIME, timedOut: true, cancelled: false, durationMs: timeoutMs, limit };
}

function notStarted(): CallResult {
  const nothing = Buffer.alloc(0);
  return {
    ...{ exitCode: EXIT_TERM, stdout: nothing, stderr: nothing, truncated: false, timedOut: false },
    ...{ cancelled: true, durationMs: 0, outputBytes: 0 },
  };
}

interface OutputOptions {
  readonly most: number;
  readonly redaction: Redaction | undefined;
  readonly file: OutputFile | undefined;
  readonly onOutput: CallOptions['onOutput'];
}

type Stream = 'stdout' | 'stderr';

/** What a call writes: its beginning is kept, all of it is counted and handed on, and memory stays the same however much comes. */
class CallOutput {
  readonly #options: OutputOptions;
  readonly #kept: Record<Stream, Buffer[]> = { stdout: [], stderr: [] };
  readonly #keptBytes: Record<Stream, number> = { stdout: 0, stderr: 0 };
  #bytes = 0;
  #dropped = 0;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  take(from: NodeJS.ReadableStream | null, stream: Stream): void {
    const redactor = this.#options.redaction === undefined ? undefined : new Redactor(this.#options.redaction);
    from?.on('data', (chunk: Buffer) => this.#add(redactor?.push(chunk) ?? [chunk], stream));
    from?.on('end', () => this.#add(redactor?.end() ?? [], stream));
    from?.on('error', () => undefined); // The end of the process says what there is to say.
  }

  get bytes(): number {
    return this.#bytes;
  }

  get truncated(): boolean {
    return this.#dropped > 0;
  }

  kept(stream: Stream): Buffer {
    return Buffer.concat(this.#kept[stream]);
  }

  #add(pieces: readonly Buffer[], stream: Stream): void {
    for (const piece of pieces) {
      this.#bytes += piece.length;
      this.#keep(piece, stream);
      this.#options.file?.write(piece);
      this.#options.onOutput?.(piece, stream);
    }
  }

  #keep(piece: Buffer, stream: Stream): void {
    const part = piece.subarray(0, Math.max(0, this.#options.most - this.#keptBytes[stream]));
    this.#dropped += piece.length - part.length;
    if (part.length === 0) return;
    // A copy, so that a short part does not hold on to the whole that it was read with.
    this.#kept[stream].push(part.length === piece.length ? part : Buffer.from(part));
    this.#keptBytes[stream] += part.length;
  }
}
