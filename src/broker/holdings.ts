import type { Held } from './held.ts';
import { secretPartOf } from './placeholder.ts';
import { Needles } from './scan.ts';

const MOST_FORMER = 64;

/** Told of placeholders that were made meanwhile. */
export type Remember = (placeholders: readonly string[]) => void;

/** Credentials as they are now: answers of servers may add some, or replace them. */
export class Holdings {
  held: readonly Held[] = [];
  placeholders = new Needles([]);
  values = new Needles([]);
  /** Values that nothing stands for any more; answers are kept free of the latest. */
  #former: readonly string[] = [];

  readonly #remember: Remember;

  constructor(held: readonly Held[], remember: Remember = () => undefined) {
    this.#remember = remember;
    this.#set(held, []);
  }

  add(more: readonly Held[]): void {
    this.#remember(more.map(({ placeholder }) => placeholder));
    this.#set([...this.held, ...more], []);
  }

  /** The same placeholder for another value. */
  replace(old: Held, next: Held): void {
    this.#set(
      this.held.map((one) => (one.placeholder === old.placeholder ? next : one)),
      [old.value],
    );
  }

  forget(old: Held): void {
    this.#set(
      this.held.filter(({ placeholder }) => placeholder !== old.placeholder),
      [old.value],
    );
  }

  clear(): void {
    this.#former = [];
    this.#set([], []);
  }

  #set(held: readonly Held[], former: readonly string[]): void {
    this.held = held;
    this.#former = [...this.#former, ...former].slice(-MOST_FORMER);
    this.placeholders = new Needles(held.map(({ placeholder }) => placeholder));
    this.values = new Needles([...held.map(({ value }) => value), ...this.#former].map(secretPartOf));
  }
}
