/** So many requests a minute, of which half may come at once. */
export class Rate {
  readonly #perMinute: number;
  #tokens: number;
  #filled: number;

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute;
    this.#tokens = this.#burst;
    this.#filled = now;
  }

  get #burst(): number {
    return Math.max(1, this.#perMinute / 2);
  }

  /** Seconds to wait, or 0 when it may go on. */
  take(now: number): number {
    const perMs = this.#perMinute / 60_000;
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filled) * perMs);
    this.#filled = now;
    if (this.#tokens < 1) return Math.ceil((1 - this.#tokens) / perMs / 1000);
    this.#tokens--;
    return 0;
  }
}
