import type { ChildProcess } from 'node:child_process';
import { deliver, endSandbox } from './relay-signals.ts';

/** Why a command was told to end. */
export type EndCause = 'time' | 'cancel';

export interface EndingOptions {
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
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  readonly #undo: (() => void)[] = [];

  constructor(child: ChildProcess, { timeoutMs, signals = [], graceMs = GRACE_MS }: EndingOptions) {
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
