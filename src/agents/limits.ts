import type { Launched } from '../launch/launch.ts';
import { deliver } from '../launch/relay-signals.ts';

/** Why an agent ended: by itself, because it was told to, or because its time was over. */
export type EndReason = 'exited' | 'aborted' | 'timeout';

export interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** How long it may take to end by itself once it is told to. */
  readonly graceMs?: number | undefined;
}

const GRACE_MS = 5000;

/** Ends the agent when it is told to or its time is over: TERM, a grace, KILL. */
export class Watch {
  readonly #child: Launched['child'];
  readonly #graceMs: number;
  readonly #undo: (() => void)[] = [];
  #reason: EndReason = 'exited';

  constructor(child: Launched['child'], { signal, timeoutMs, graceMs = GRACE_MS }: Limits) {
    this.#child = child;
    this.#graceMs = graceMs;
    if (timeoutMs !== undefined) this.#later(timeoutMs, () => this.#end('timeout'));
    if (signal === undefined) return;
    const abort = () => this.#end('aborted');
    signal.addEventListener('abort', abort, { once: true });
    this.#undo.push(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  }

  /** To be called when it has ended. */
  stop(): EndReason {
    for (const undo of this.#undo) undo();
    return this.#reason;
  }

  #end(reason: EndReason): void {
    if (this.#reason !== 'exited') return;
    this.#reason = reason;
    deliver(this.#child, 'SIGTERM');
    this.#later(this.#graceMs, () => this.#kill());
  }

  /** What it left behind may hold its output open, which would keep us waiting. */
  #kill(): void {
    this.#child.kill('SIGKILL');
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #later(milliseconds: number, act: () => void): void {
    const timer = setTimeout(act, milliseconds);
    this.#undo.push(() => clearTimeout(timer));
  }
}
