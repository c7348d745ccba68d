import type { NetworkPolicy } from '../policy/network/rules.ts';
import { verdictOn, WEB_PORTS } from '../policy/network/rules.ts';

const FIRST = 127 * 2 ** 24 + 2 ** 23 + 1;

/** Each name has an address of 127.128.0.0/9 of its own, so that the address that is dialled says which name was meant. */
export class Names {
  readonly #byName = new Map<string, string>();
  readonly #byAddress = new Map<string, string>();
  readonly #most: number;

  constructor(most: number, written: readonly string[] = []) {
    this.#most = most;
    for (const name of written) this.addressFor(name);
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

  /** As lines of /etc/hosts. */
  lines(): string {
    return [...this.#byName].map(([name, address]) => `${address} ${name}\n`).join('');
  }
}

/** Names that are written out lead to the same addresses in /etc/hosts, so that nobody has to be asked: for them, no question waits. */
export function writtenNames(policy: NetworkPolicy): string[] {
  const names = policy.allow.flatMap((rule) => (rule.kind === 'name' ? rule.name : []));
  return [...new Set(names)].filter((name) => isKnown(policy, name)).slice(0, MOST_WRITTEN);
}

/** More than a list has that people write; the rest is asked for. */
const MOST_WRITTEN = 1024;

/** Whether a name is worth an address: some port of it may be dialled. */
export function isKnown(policy: NetworkPolicy, name: string): boolean {
  const ports = new Set([...WEB_PORTS, ...policy.allow.flatMap(({ port }) => port ?? [])]);
  return [...ports].some((port) => verdictOn(policy, name, port).allowed);
}
