import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { textIn } from '../host/files.ts';
import { nativeLauncher } from './machine.ts';

/** A command that runs, here or elsewhere, and what it reads and writes. */
export interface Controlled {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly stdio: readonly (Readable | Writable | null | undefined)[];
  kill(signal?: NodeJS.Signals): boolean;
}

/** Why a command was told to end. */
export type EndCause = 'time' | 'cancel';

interface EndingOptions {
  readonly timeoutMs?: number | undefined;
  /** Each of them ends it. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** How long it has between being asked to end and being ended. */
  readonly graceMs?: number | undefined;
}

const GRACE_MS = 2000;
/** How long its supervisor has then to write the record. */
const LAST_MS = 1000;

/**
 * The one way to end what was launched, when its time is over or somebody asks: TERM, a grace, KILL for the command and all that is in
 * its sandbox. Its supervisor stays to write the record; only when that does not end either it is killed too.
 */
export class Ending {
  cause: EndCause | undefined;
  readonly #child: Controlled;
  readonly #graceMs: number;
  readonly #undo: (() => void)[] = [];

  constructor(child: Controlled, { timeoutMs, signals = [], graceMs = GRACE_MS }: EndingOptions) {
    this.#child = child;
    this.#graceMs = graceMs;
    if (timeoutMs !== undefined) this.#later(timeoutMs, () => this.#end('time'));
    const cancel = () => this.#end('cancel');
    for (const signal of signals) {
      signal?.addEventListener('abort', cancel, { once: true });
      this.#undo.push(() => signal?.removeEventListener('abort', cancel));
    }
    if (signals.some((signal) => signal?.aborted === true)) cancel();
  }

  /** To be called when it has ended. */
  done(): EndCause | undefined {
    for (const undo of this.#undo.splice(0)) undo();
    return this.cause;
  }

  #end(cause: EndCause): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    deliver(this.#child, 'SIGTERM');
    this.#later(this.#graceMs, () => {
      endSandbox(this.#child);
      this.#later(LAST_MS, () => this.#giveUp());
    });
  }

  /** What it left behind may hold its output open, which would keep us waiting. */
  #giveUp(): void {
    this.#child.kill('SIGKILL');
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #later(milliseconds: number, act: () => void): void {
    const timer = setTimeout(act, milliseconds);
    this.#undo.push(() => clearTimeout(timer));
  }
}

const RELAYED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH', 'SIGCONT'] as const;

/** Where this process stays as the parent, what is sent to it is meant for the child. SIGUSR1 would otherwise open Node's inspector. */
export function relaySignals(child: ChildProcess): () => void {
  const relays = RELAYED.map((signal) => [signal, () => deliver(child, signal)] as const);
  for (const [signal, relay] of relays) process.on(signal, relay);
  return () => {
    for (const [signal, relay] of relays) process.off(signal, relay);
  };
}

interface Delivery {
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly end: () => void;
}

const deliveries = new WeakMap<Controlled, Delivery>();

/** What stands between us and the command does not pass signals on as it should: they go another way. */
export function deliverBy(child: Controlled, delivery: Delivery): void {
  deliveries.set(child, delivery);
}

/** The native launcher passes signals on itself; without it the command is looked for behind bubblewrap. */
function deliver(child: Controlled, signal: NodeJS.Signals): void {
  const delivery = deliveries.get(child);
  if (delivery !== undefined) {
    delivery.signal(signal);
    return;
  }
  if (child.pid === undefined) return;
  const target = nativeLauncher() === undefined ? innermost(child.pid) : child.pid;
  try {
    process.kill(target, signal);
  } catch {
    // It has just ended.
  }
}

/** bubblewrap → its init → the command; outside a barrier the child itself. */
function innermost(pid: number): number {
  const init = onlyChild(pid);
  return (init === undefined || !isBubblewrap(pid) ? undefined : onlyChild(init)) ?? pid;
}

function isLauncher(pid: number): boolean {
  return textIn(`/proc/${pid}/comm`) === 'cordon-launch\n';
}

function isBubblewrap(pid: number): boolean {
  return textIn(`/proc/${pid}/comm`) === 'bwrap\n';
}

function onlyChild(pid: number): number | undefined {
  const first = textIn(`/proc/${pid}/task/${pid}/children`).split(' ')[0];
  return first === undefined || first === '' ? undefined : Number(first);
}

/** Tells a launcher to kill its command (native/src/watch.h). The first process of the sandbox is not killed: it puts git's files back. */
const END_SIGNAL = 64;

/** Ends the command at once, and with a sandbox all that runs inside; its supervisor, where it has one, stays to say so in the records. */
function endSandbox(child: Controlled): void {
  const delivery = deliveries.get(child);
  if (delivery !== undefined) {
    delivery.end();
    return;
  }
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(pid, isLauncher(pid) ? END_SIGNAL : 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
