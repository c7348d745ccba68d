import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { getSystemErrorName } from 'node:util';
import { CordonError } from '../host/errors.ts';
import { isPlan, type LaunchPlan, planInTwo, planText } from '../plan/plan.ts';
import { type Controlled, deliverBy } from './ending.ts';
import { emptyEnvironment, type LaunchResult } from './launch.ts';

/** A byte of kind, four of the launch's number, four of length: as native/src/launches.c has them. */
const HEAD = 9;
const TO = { start: 'n', part: 'p', last: 'q', input: 'i', signal: 's', endSandbox: 'x', abandon: 'a' } as const;
const FROM = { isThere: 'n', failed: 'f', status: 'c', output: '1', errors: '2', ended: 'x' } as const;

/** The process that starts launchers takes no more in one piece, and would end with all that it has started. */
const LARGEST_INPUT = 64 << 20;

/** What a launcher says of itself. */
const STATUS = { ready: 'r', started: 's' } as const;

/** A launch of the helper's, as a call has it. */
export interface HelpersLaunch {
  readonly child: Controlled;
  readonly result: Promise<LaunchResult>;
  readonly hasStarted: () => boolean;
}

/**
 * A small process that starts the launchers of this one, which is large and would stand still for each of them. It begins with an empty
 * environment, dies with this process, and whatever it has started dies with it.
 */
export class LaunchHelper {
  readonly #child: ChildProcess;
  readonly #socket: Socket | undefined;
  readonly #launches = new Map<number, WaitingLauncher>();
  readonly #gone: Promise<void>;
  readonly #frames = new Frames((kind, number, payload) => this.#launches.get(number)?.hear(kind, payload));
  #last = 0;
  #awaited = 0;
  #hasEnded = false;

  constructor(launcher: string) {
    // A descriptor that it inherits is set to block, for this process as well: a log that nobody reads would hold it up.
    this.#child = spawn(launcher, [`--launches=${process.pid}`], {
      cwd: '/',
      env: emptyEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    this.#gone = new Promise((resolve) => {
      const end = () => {
        this.#end();
        resolve();
      };
      this.#child.once('error', end);
      this.#child.once('close', end);
    });
    // Where too many files are open it has no streams at all.
    this.#socket = this.#child.stdio?.[3] as Socket | undefined;
    this.#socket?.on('data', (chunk: Buffer) => this.#frames.push(chunk));
    this.#socket?.on('error', () => undefined); // Its end tells.
    this.#child.unref();
    this.#socket?.unref();
  }

  get isThere(): boolean {
    return !this.#hasEnded && this.#child.pid !== undefined && this.#socket !== undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** A launcher that waits for its plan. It knows nothing yet, and keeps nobody waiting for it. */
  start(): WaitingLauncher {
    const number = ++this.#last;
    const launcher = new WaitingLauncher(this, number);
    this.#launches.set(number, launcher);
    if (this.isThere) this.say(TO.start, number);
    else launcher.lose();
    return launcher;
  }

  /** Ends what still runs with it. */
  async end(): Promise<void> {
    this.#child.ref();
    this.#socket?.destroy();
    await this.#gone;
  }

  say(kind: string, number: number, payload: Buffer = NOTHING): void {
    const head = Buffer.allocUnsafe(HEAD);
    head.write(kind, 0, 'latin1');
    head.writeUInt32LE(number, 1);
    head.writeUInt32LE(payload.length, 5);
    this.together(() => {
      this.#socket?.write(head);
      if (payload.length > 0) this.#socket?.write(payload);
    });
  }

  /** One write for all that is said. */
  together(say: () => void): void {
    this.#socket?.cork();
    say();
    this.#socket?.uncork();
  }

  /** Somebody waits for an answer, so this process may not end for want of anything to do. */
  awaits(more: 1 | -1): void {
    this.#awaited += more;
    for (const one of [this.#child, this.#socket])
      if (this.#awaited > 0) one?.ref();
      else one?.unref();
  }

  forget(number: number): void {
    this.#launches.delete(number);
  }

  #end(): void {
    this.#hasEnded = true;
    for (const launcher of [...this.#launches.values()]) launcher.lose();
  }
}

const NOTHING = Buffer.alloc(0);

interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export class WaitingLauncher {
  readonly #launches: LaunchHelper;
  readonly #number: number;
  readonly #result: Promise<LaunchResult>;
  readonly #there: Promise<number>;
  readonly #stdout = new Readable({ read: () => undefined });
  readonly #stderr = new Readable({ read: () => undefined });
  #settle: Settle<LaunchResult> | undefined;
  #arrival: Settle<number> | undefined;
  /** How the sandbox is made, where it is made ahead. */
  #first: string | undefined;
  #isReady = false;
  #hasStarted = false;
  #isAwaited = false;

  constructor(launches: LaunchHelper, number: number) {
    this.#launches = launches;
    this.#number = number;
    this.#result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#there = new Promise((resolve, reject) => {
      this.#arrival = { resolve, reject };
    });
    this.#result.catch(() => undefined);
    this.#there.catch(() => undefined);
  }

  get isWaiting(): boolean {
    return this.#settle !== undefined;
  }

  /** Makes the sandbox of this plan, and all but what runs in it: of that nothing is told. False where that can't be. */
  makeReady(plan: LaunchPlan): boolean {
    const { first } = planInTwo(plan, this.#launches.pid) ?? {};
    if (first === undefined || !this.isWaiting) return false;
    this.#first = first;
    this.#say(TO.part, Buffer.from(first, 'latin1'));
    return true;
  }

  /** Whether its sandbox is made, and is the very one that this plan asks for. */
  isReadyFor(plan: LaunchPlan): boolean {
    return this.isWaiting && this.#isReady && planInTwo(plan, this.#launches.pid)?.first === this.#first;
  }

  /** It was made ahead, and nothing has run in it. */
  get isUnused(): boolean {
    return this.#first !== undefined && !this.#hasStarted;
  }

  /** Its process, once it is there. */
  async pid(): Promise<number> {
    this.#launches.awaits(1);
    return this.#there.finally(() => this.#launches.awaits(-1));
  }

  /** All of the input is known, so that the command need not be waited for to read it. */
  start(plan: LaunchPlan, input: string): HelpersLaunch {
    if (!isPlan(plan)) throw new TypeError('launch takes only a plan made by plan()');
    const given = Buffer.from(input);
    if (given.length > LARGEST_INPUT)
      throw new CordonError('session', 'the input is larger than 64 MiB', {
        hint: 'write it to a file in the workspace, and name that',
      });
    this.#await();
    const made = this.#first === undefined ? undefined : planInTwo(plan, this.#launches.pid);
    const text = made?.second() ?? planText(plan, 'with-values', this.#launches.pid);
    this.#launches.together(() => {
      this.#say(TO.input, given);
      this.#say(TO.last, Buffer.from(text, 'latin1'));
    });
    const child: Controlled = {
      ...{ stdin: null, stdout: this.#stdout, stderr: this.#stderr, stdio: [this.#stdout, this.#stderr] },
      kill: (signal = 'SIGTERM') => {
        if (signal === 'SIGKILL') this.#say(TO.abandon);
        else this.#signal(signal);
        return this.isWaiting;
      },
    };
    deliverBy(child, { signal: (signal) => this.#signal(signal), end: () => this.#say(TO.endSandbox) });
    return { child, result: this.#result, hasStarted: () => this.#hasStarted };
  }

  /** Of one that got no plan: nobody reads what it might say. */
  async end(): Promise<void> {
    this.#await();
    this.#say(TO.abandon);
    for (const stream of [this.#stdout, this.#stderr]) stream.destroy();
    await this.#result.catch(() => undefined);
  }

  hear(kind: string, payload: Buffer): void {
    if (kind === FROM.isThere) this.#arrival?.resolve(payload.readInt32LE());
    else if (kind === FROM.status) this.#hearStatus(payload.toString('latin1'));
    else if (kind === FROM.output) this.#stdout.push(payload);
    else if (kind === FROM.errors) this.#stderr.push(payload);
    else if (kind === FROM.failed) this.#fail(systemError(payload.readInt32LE()));
    else if (kind === FROM.ended) void this.#finish(payload.readInt32LE());
  }

  #hearStatus(said: string): void {
    this.#isReady ||= said.includes(STATUS.ready);
    this.#hasStarted ||= said.includes(STATUS.started);
  }

  /** The process that starts launchers is gone, and all of them with it. */
  lose(): void {
    const what = this.#hasStarted ? 'the command was ended with it' : 'nothing was run';
    this.#fail(
      new CordonError('session', `the process that starts sandboxes has ended: ${what}`, {
        hint: 'the next call starts it anew; the machine may be out of memory',
      }),
    );
  }

  #await(): void {
    if (this.#isAwaited || !this.isWaiting) return;
    this.#isAwaited = true;
    this.#launches.awaits(1);
  }

  #say(kind: string, payload?: Buffer): void {
    if (this.isWaiting && this.#launches.isThere) this.#launches.say(kind, this.#number, payload);
  }

  #signal(signal: NodeJS.Signals): void {
    this.#say(TO.signal, Buffer.of(constants.signals[signal]));
  }

  /** Whoever reads the output has all of it first. */
  async #finish(exitCode: number): Promise<void> {
    const ends = [this.#stdout, this.#stderr].map(endOf);
    this.#arrival?.reject(new Error('it has ended'));
    this.#leave();
    if (this.#isAwaited) await Promise.all(ends);
    this.#settled()?.resolve({ exitCode });
  }

  #fail(error: Error): void {
    this.#arrival?.reject(error);
    this.#leave();
    this.#settled()?.reject(error);
    for (const stream of [this.#stdout, this.#stderr]) stream.destroy();
  }

  #settled(): Settle<LaunchResult> | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    return settle;
  }

  #leave(): void {
    this.#launches.forget(this.#number);
    if (this.#isAwaited) this.#launches.awaits(-1);
  }
}

function endOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.once('close', resolve).push(null);
  });
}

function systemError(number: number): Error {
  const code = getSystemErrorName(-number);
  return Object.assign(new Error(code), { code });
}

/** Puts together what comes in pieces of any length. */
class Frames {
  readonly #take: (kind: string, number: number, payload: Buffer) => void;
  #rest: Buffer = NOTHING;

  constructor(take: (kind: string, number: number, payload: Buffer) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= HEAD) {
      const end = at + HEAD + bytes.readUInt32LE(at + 5);
      if (end > bytes.length) break;
      // A copy: a short frame must not hold on to all that it was read with.
      this.#take(
        String.fromCharCode(bytes[at] as number),
        bytes.readUInt32LE(at + 1),
        Buffer.from(bytes.subarray(at + HEAD, end)),
      );
      at = end;
    }
    this.#rest = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
  }
}
