/** A stretch that is hidden: overlapping matches become one, under the name of the longest. Positions count from the first byte at hand. */
export interface Covered {
  readonly start: number;
  readonly end: number;
  readonly longest: number;
  readonly label: number;
}

export function joined(before: Covered, after: Covered): Covered {
  const { longest, label } = after.longest > before.longest ? after : before;
  return { start: Math.min(before.start, after.start), end: Math.max(before.end, after.end), longest, label };
}

/** The pieces that go out for the bytes at hand. */
export class RedactedOutput {
  readonly pieces: Buffer[] = [];
  readonly #data: Buffer;
  readonly #labels: readonly Buffer[];
  #done = 0;

  constructor(data: Buffer, labels: readonly Buffer[]) {
    this.#data = data;
    this.#labels = labels;
  }

  hide({ start, end, label }: Covered): void {
    this.plain(start);
    this.pieces.push(this.#labels[label] as Buffer);
    this.drop(end);
  }

  plain(to: number): void {
    if (to <= this.#done) return;
    this.pieces.push(this.#data.subarray(this.#done, to));
    this.#done = to;
  }

  drop(to: number): void {
    this.#done = Math.max(this.#done, to);
  }

  /** From here on the bytes are neither given out nor dropped. */
  get done(): number {
    return this.#done;
  }
}
