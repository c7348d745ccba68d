/** Counts what has begun and not ended, and can wait for the end of all. */
export class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): () => void {
    this.#count++;
    let ended = false;
    return () => {
      if (!ended) this.#count--;
      ended = true;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Settles when nothing is left, or when the time is up. */
  settled(withinMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
