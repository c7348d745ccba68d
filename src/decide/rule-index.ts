import type { Bytes } from '../host/bytes.ts';
import type { Rule } from './rules.ts';

/**
 * Finds the rules whose pattern matches a name, in order, without asking every rule: exact names and prefixes are looked up, and another
 * glob is tried only on names that have the first three bytes of its longest plain run somewhere.
 */
export class RuleIndex {
  readonly #rules: readonly Rule[];
  readonly #exact = new Map<string, number[]>();
  readonly #prefixes = new Map<number, Map<string, number[]>>();
  readonly #byTriple = new Map<number, number[]>();
  readonly #always: number[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    for (const [at, { pattern }] of rules.entries()) {
      if (pattern.exact) append(this.#exact, pattern.source, at);
      else if (pattern.prefix !== undefined) append(this.#prefixesOf(pattern.prefix.length), pattern.prefix, at);
      else if (pattern.needle.length >= 3) append(this.#byTriple, tripleAt(pattern.needle, 0), at);
      else this.#always.push(at);
    }
  }

  #prefixesOf(length: number): Map<string, number[]> {
    const known = this.#prefixes.get(length) ?? new Map<string, number[]>();
    this.#prefixes.set(length, known);
    return known;
  }

  matching(name: Bytes): Rule[] {
    const found: number[] = [];
    gather(found, this.#exact.get(name));
    for (const [length, prefixes] of this.#prefixes) {
      if (length <= name.length) gather(found, prefixes.get(name.slice(0, length)));
    }
    for (const at of this.#always) if ((this.#rules[at] as Rule).pattern.matches(name)) found.push(at);
    this.#gatherByTriple(name, found);
    if (found.length > 1) found.sort((a, b) => a - b);
    return found.map((at) => this.#rules[at] as Rule);
  }

  /** A triple may occur often in a name; each rule is tried once. */
  #gatherByTriple(name: Bytes, found: number[]): void {
    const tried: number[] = [];
    for (let i = 0; i + 2 < name.length; i++) {
      for (const at of this.#byTriple.get(tripleAt(name, i)) ?? NONE) {
        if (tried.includes(at)) continue;
        tried.push(at);
        if ((this.#rules[at] as Rule).pattern.matches(name)) found.push(at);
      }
    }
  }
}

const NONE: readonly number[] = [];

function tripleAt(text: Bytes, at: number): number {
  return (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2);
}

function gather(found: number[], more: readonly number[] | undefined): void {
  if (more !== undefined) found.push(...more);
}

function append<Key>(map: Map<Key, number[]>, key: Key, at: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [at]);
  else list.push(at);
}
