/** How many calls run at once; one more is refused, not queued: whoever waits unseen holds memory. */
export class CallGate {
  readonly limit: number;
  #running = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** What to call when the call has ended, or undefined when there is no room. */
  enter(): (() => void) | undefined {
    if (this.#running >= this.limit) return undefined;
    this.#running++;
    let left = false;
    return () => {
      if (!left) this.#running--;
      left = true;
    };
  }
}
