/** One value to look for and the label that takes its place. */
export interface Needle {
  readonly form: Buffer;
  readonly label: number;
}

/**
 * Aho–Corasick over bytes: after every byte the state is the longest beginning of a needle that the bytes so far end in. States keep their
 * followers as a list, since nearly all have one; a table for each would take 256 times the memory.
 */
export class Automaton {
  /** Length of the beginning a state stands for: so many bytes may still become a match. */
  readonly depth: Int32Array;
  /** The longest needle that ends in a state, 0 when none does; and its label. */
  readonly matched: Int32Array;
  readonly label: Int32Array;
  readonly #first: Int32Array;
  readonly #next: Int32Array;
  readonly #byte: Uint8Array;
  readonly #fallback: Int32Array;
  readonly #start = new Int32Array(256);
  #count = 1;

  constructor(needles: readonly Needle[]) {
    const size = needles.reduce((sum, { form }) => sum + form.length, 1);
    const table = () => new Int32Array(size);
    [this.depth, this.matched, this.label] = [table(), table(), table()];
    [this.#first, this.#next, this.#fallback] = [table(), table(), table()];
    this.#byte = new Uint8Array(size);
    for (const needle of needles) this.#add(needle);
    for (let child = this.#first[0] as number; child !== 0; child = this.#next[child] as number) {
      this.#start[this.#byte[child] as number] = child;
    }
    this.#connect();
  }

  step(state: number, byte: number): number {
    for (let from = state; from !== 0; from = this.#fallback[from] as number) {
      const child = this.#child(from, byte);
      if (child !== 0) return child;
    }
    return this.#start[byte] as number;
  }

  /** What it looked for is not in it any more. */
  wipe(): void {
    this.#byte.fill(0);
  }

  #child(state: number, byte: number): number {
    let child = this.#first[state] as number;
    while (child !== 0 && this.#byte[child] !== byte) child = this.#next[child] as number;
    return child;
  }

  #add({ form, label }: Needle): void {
    let state = 0;
    for (const byte of form) state = this.#child(state, byte) || this.#newState(state, byte);
    if (this.matched[state] !== 0) return;
    this.matched[state] = form.length;
    this.label[state] = label;
  }

  #newState(parent: number, byte: number): number {
    const state = this.#count++;
    this.#byte[state] = byte;
    this.depth[state] = (this.depth[parent] as number) + 1;
    this.#next[state] = this.#first[parent] as number;
    this.#first[parent] = state;
    return state;
  }

  /** Level by level: a state falls back to where its parent's fallback goes with the same byte. */
  #connect(): void {
    const queue = new Int32Array(this.#count);
    let length = 1;
    for (let at = 0; at < length; at++) {
      const state = queue[at] as number;
      for (let child = this.#first[state] as number; child !== 0; child = this.#next[child] as number) {
        queue[length++] = child;
        this.#fallback[child] =
          state === 0 ? 0 : this.step(this.#fallback[state] as number, this.#byte[child] as number);
        this.#inherit(child);
      }
    }
  }

  #inherit(state: number): void {
    const shorter = this.#fallback[state] as number;
    if (this.matched[state] !== 0 || this.matched[shorter] === 0) return;
    this.matched[state] = this.matched[shorter] as number;
    this.label[state] = this.label[shorter] as number;
  }
}
