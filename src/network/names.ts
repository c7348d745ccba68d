const FIRST = 127 * 2 ** 24 + 2 ** 23 + 1;

/** Each name has an address of 127.128.0.0/9 of its own, so that the address that is dialled says which name was meant. */
export class Names {
  readonly #byName = new Map<string, string>();
  readonly #byAddress = new Map<string, string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined when there are too many already: whoever asks for that many is after something else. */
  addressFor(name: string): string | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined || this.#byName.size >= this.#most) return known;
    const number = FIRST + this.#byName.size;
    const address = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
    this.#byName.set(name, address);
    this.#byAddress.set(address, name);
    return address;
  }

  nameOf(address: string): string | undefined {
    return this.#byAddress.get(address);
  }
}
