import type { Redaction } from './redaction.ts';

/**
 * Takes output piece by piece and gives it back without the secrets. Held back is only what may still be the beginning of one, so that
 * a prompt without a newline shows at once. Memory is bounded by the longest form.
 */
export class Redactor {
  readonly #redaction: Redaction;
  /** The last bytes of what came so far, which may be the beginning of a match. */
  #held: Buffer = Buffer.alloc(0);
  #state = 0;
  /** In order, not touching what a match still to come may join. */
  #covered: Covered[] = [];

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  push(chunk: Buffer): Buffer[] {
    const data = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#scan(data, this.#held.length);
    return this.#giveOut(data, data.length - (this.#redaction.automaton.depth[this.#state] as number));
  }

  /** Nothing follows: what was held back was no secret after all. */
  end(): Buffer[] {
    this.#state = 0;
    return this.#giveOut(this.#held, this.#held.length);
  }

  #scan(data: Buffer, from: number): void {
    const { automaton, skipper } = this.#redaction;
    const { matched } = automaton;
    let at = from;
    while (at < data.length) {
      if (this.#state === 0) at = skipper.skip(data, at);
      if (at === data.length) return;
      this.#state = automaton.step(this.#state, data[at++] as number);
      if (matched[this.#state] !== 0) this.#cover(at);
    }
  }

  #cover(end: number): void {
    const { matched, label } = this.#redaction.automaton;
    const longest = matched[this.#state] as number;
    let found: Covered = { start: end - longest, end, longest, label: label[this.#state] as number };
    for (let last = this.#covered.at(-1); last !== undefined && last.end > found.start; last = this.#covered.at(-1)) {
      found = joined(last, found);
      this.#covered.pop();
    }
    this.#covered.push(found);
  }

  /** A match still to come begins at `undecided` or later: all before it is final, and what is covered already need not be kept. */
  #giveOut(data: Buffer, undecided: number): Buffer[] {
    const output = new RedactedOutput(data, this.#redaction.labels);
    const open = this.#covered.findIndex(({ end }) => end > undecided);
    for (const covered of this.#covered.splice(0, open === -1 ? this.#covered.length : open)) output.hide(covered);
    const first = this.#covered[0];
    output.plain(first === undefined ? undecided : Math.min(undecided, first.start));
    if (first !== undefined && first.start <= undecided) output.drop(first.end);
    this.#held = Buffer.from(data.subarray(output.done));
    this.#covered = this.#covered.map((covered) => shifted(covered, output.done));
    return output.pieces;
  }
}

function shifted({ start, end, longest, label }: Covered, by: number): Covered {
  return { start: start - by, end: end - by, longest, label };
}

/** A stretch that is hidden: overlapping matches become one, under the name of the longest. Positions count from the first byte at hand. */
export interface Covered {
  readonly start: number;
  readonly end: number;
  readonly longest: number;
  readonly label: number;
}

function joined(before: Covered, after: Covered): Covered {
  const { longest, label } = after.longest > before.longest ? after : before;
  return { start: Math.min(before.start, after.start), end: Math.max(before.end, after.end), longest, label };
}

/** The pieces that go out for the bytes at hand. */
class RedactedOutput {
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
