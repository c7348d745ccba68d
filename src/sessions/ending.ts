import type { Launched } from '../launch/launch.ts';
import { deliver, endSandbox } from '../launch/relay-signals.ts';

export type Cause = 'time' | 'cancel';

/** How long a command has between being asked to end and being ended. */
const GRACE_MS = 2000;

export interface EndingOptions {
  readonly timeoutMs: number;
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Ends a call when its time is over or somebody asks: TERM, a moment, then the sandbox with everything in it. */
export class Ending {
  cause: Cause | undefined;
  readonly #child: Launched['child'];
  readonly #signals: readonly AbortSignal[];
  readonly #limit: NodeJS.Timeout;
  #last: NodeJS.Timeout | undefined;

  constructor(child: Launched['child'], { timeoutMs, signals }: EndingOptions) {
    this.#child = child;
    this.#signals = signals.filter((signal) => signal !== undefined);
    this.#limit = setTimeout(() => this.#end('time'), timeoutMs);
    for (const signal of this.#signals) signal.addEventListener('abort', this.#cancel, { once: true });
    if (this.#signals.some(({ aborted }) => aborted)) this.#cancel();
  }

  done(): void {
    clearTimeout(this.#limit);
    clearTimeout(this.#last);
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#cancel);
  }

  readonly #cancel = () => this.#end('cancel');

  #end(cause: Cause): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    deliver(this.#child, 'SIGTERM');
    this.#last = setTimeout(() => endSandbox(this.#child), GRACE_MS);
  }
}
