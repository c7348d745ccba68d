/** After so long it counts as waiting for somebody else, and another begins. */
const LONGEST_TURN_MS = 100;

/**
 * Things that take much while they are under way, of which only so many begin at once. Which of them is over is not told: a word too few costs
 * the others a moment, and one too many lets one more begin.
 */
export class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  readonly #underWay: NodeJS.Timeout[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  take(begin: () => void): void {
    this.#waiting.push(begin);
    this.#next();
  }

  /** One of them is over. */
  end(): void {
    clearTimeout(this.#underWay.shift());
    this.#next();
  }

  #next(): void {
    while (this.#underWay.length < this.#most) {
      const begin = this.#waiting.shift();
      if (begin === undefined) return;
      // The oldest is the first whose time is over.
      this.#underWay.push(setTimeout(() => this.end(), LONGEST_TURN_MS));
      begin();
    }
  }
}
