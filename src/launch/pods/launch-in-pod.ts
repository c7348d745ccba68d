import { constants } from 'node:os';
import { CordonError, EXIT } from '../../host/errors.ts';
import { INSIDE } from '../../plan/places/index.ts';
import { appendAudit } from '../audit.ts';
import { prepareInside } from '../container/inside.ts';
import { environmentFrom, type Heard, type Recorded, recordsFor, tellPlan } from '../container/talk.ts';
import { type Controlled, deliverBy } from '../ending.ts';
import type { LaunchResult } from '../launch.ts';
import type { How, RelayedProcess } from './exec.ts';
import { type Lease, Lost, type Pods } from './pods.ts';

export interface PodRequest extends Recorded {
  readonly user: string;
}

export interface LaunchedInPod {
  readonly child: Controlled;
  readonly result: Promise<LaunchResult>;
  readonly hasStarted: () => boolean;
  readonly note: string | undefined;
}

/** How often another pod is tried: what was not handed over anywhere can be started elsewhere. */
const TRIES = 3;
const ANSWER_MS = 10_000;
const KILLED = 137;

/**
 * Starts a command in its user's pod. The launcher inside says what variables it was started with and gets the plan over the same
 * exec; nothing that Kubernetes is told, keeps or logs has any of it.
 */
export async function launchInPod(request: PodRequest, pods: Pods, givenUp: AbortSignal): Promise<LaunchedInPod> {
  const started = Date.now();
  const { lease, relayed, block } = await reach(request.user, pods, givenUp);
  try {
    const mount = { path: INSIDE.workspace, target: INSIDE.workspace, writable: true, isWorkspace: true };
    const places = { isOwn: true, binds: [mount], workspace: INSIDE.workspace };
    const prepared = prepareInside(
      { ...request, mounts: [mount] },
      { block, places, together: false, network: request.policy.network },
    );
    const heard = tellPlan(relayed.control, prepared);
    deliverBy(relayed, {
      signal: (signal) => void relayed.control.write(Uint8Array.of(constants.signals[signal])),
      end: () => void relayed.kill(),
    });
    lease.told();
    const records = recordsFor(request, prepared);
    const result = relayed.ended.then(async (how) => {
      const { isolation, exit } = heard();
      const exitCode = codeOf(how, heard());
      const outcome = { in: `pod:${lease.pod}`, folder: request.workdir, isolation: isolation ?? 'none' };
      appendAudit(records, { ...outcome, exit: exitCode ?? null, duration_ms: Date.now() - started });
      if (how === 'silent') await lease.examine();
      lease.leave();
      if (exitCode === undefined) throw unknown(how);
      return { exitCode: exit ?? exitCode };
    });
    return { child: relayed, result, hasStarted: () => heard().isolation !== undefined, note: lease.note };
  } catch (error) {
    relayed.kill();
    lease.leave();
    throw error;
  }
}

/** Undefined: nobody knows. */
function codeOf(how: How, { exit }: Heard): number | undefined {
  if (how === 'exit') return exit ?? EXIT.failure;
  return how === 'told' ? KILLED : undefined;
}

function unknown(how: How): CordonError {
  const what =
    how === 'silent' ? 'nothing was heard of the pod of this user any more' : 'the connection to the pod broke';
  return new CordonError('pods', `${what}: it is unknown whether the call ran to its end`, {
    hint: 'what runs in a pod that nobody reaches is ended there; look at what it has done before you call again',
  });
}

interface Reached {
  readonly lease: Lease;
  readonly relayed: RelayedProcess;
  readonly block: Buffer;
}

/** Up to here nothing was handed over, so another pod may be tried. */
async function reach(user: string, pods: Pods, givenUp: AbortSignal): Promise<Reached> {
  let why = '';
  for (let tries = 0; tries < TRIES; tries++) {
    const lease = await unlessGivenUp(pods.take(user), givenUp, (late) => late.leave());
    try {
      const relayed = await unlessGivenUp(lease.exec(), givenUp, (late) => late.kill());
      const block = await greeting(relayed, lease, givenUp);
      return { lease, relayed, block };
    } catch (error) {
      lease.leave();
      if (!(error instanceof Lost)) throw error;
      why = error.message;
    }
  }
  throw new CordonError('pods', `no pod of this user could be reached: nothing was run (${why})`, {
    hint: 'try again',
  });
}

/** The first that it says, in time. */
async function greeting(relayed: RelayedProcess, lease: Lease, givenUp: AbortSignal): Promise<Buffer> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  const silent = new Promise<never>((_, reject) => {
    late.signal.addEventListener('abort', () => reject(new Lost('no answer')));
  });
  const ended = relayed.ended.then(() => {
    throw new Lost(relayed.said);
  });
  silent.catch(() => undefined);
  ended.catch(() => undefined);
  try {
    return await unlessGivenUp(
      Promise.race([environmentFrom(relayed.control), ended, silent]),
      givenUp,
      () => undefined,
    );
  } catch (error) {
    relayed.kill();
    // What the launcher says is wrong stays wrong; only what does not answer is given up.
    if (error instanceof Lost && relayed.said !== '') throw notRun(relayed.said);
    if (error instanceof Lost) await lease.examine();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function notRun(said: string): CordonError {
  const [, words = 'the launcher in the pod did not start'] = /^cordon: (.*)$/m.exec(said) ?? [];
  return new CordonError('pods', `${words}: nothing was run`, { where: said });
}

/** What comes too late is put back. */
async function unlessGivenUp<T>(waiting: Promise<T>, givenUp: AbortSignal, putBack: (late: T) => void): Promise<T> {
  let giveUp = () => undefined as undefined;
  const told = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(new CordonError('aborted', 'it was ended before its pod was there', { hint: 'nothing was run' }));
      waiting.then(putBack, () => undefined);
      return undefined;
    };
  });
  told.catch(() => undefined);
  givenUp.addEventListener('abort', giveUp, { once: true });
  if (givenUp.aborted) giveUp();
  try {
    return await Promise.race([waiting, told]);
  } finally {
    givenUp.removeEventListener('abort', giveUp);
  }
}
