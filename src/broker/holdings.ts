import { collectAndOverwrite } from '../host/collect.ts';
import type { Held } from './held.ts';
import { secretPartOf } from './placeholder.ts';
import { isAway, PutAway, putAway } from './put-away.ts';
import { Needles } from './scan.ts';

const MOST_FORMER = 64;
/** So long after the last request values are put away. */
const REST_MS = 1000;

/** Told of placeholders that were made meanwhile. */
export type Remember = (placeholders: readonly string[]) => void;

/** Credentials as they are now: answers of servers may add some, or replace them. Values that nothing uses are put away. */
export class Holdings {
  held: readonly Held[] = [];
  placeholders = new Needles([]);
  /** Values that nothing stands for any more; answers are kept free of the latest. */
  #former: readonly PutAway[] = [];
  #values: Needles | undefined;
  /** All that answers may still be looked through with. */
  readonly #made = new Set<Needles>();
  #underWay = 0;
  readonly #resting = setTimeout(() => this.#rest(), REST_MS).unref();

  readonly #remember: Remember;

  constructor(held: readonly Held[], remember: Remember = () => undefined) {
    this.#remember = remember;
    this.#set(held, []);
  }

  /** What no answer may hold. */
  get values(): Needles {
    if (this.#values === undefined) {
      const all = [...this.held.map(({ value }) => value), ...this.#former.map((one) => one.take())];
      this.#values = new Needles(all.map(secretPartOf));
      this.#made.add(this.#values);
    }
    return this.#values;
  }

  /** Values are needed until this is over. */
  during(work: Promise<void>): void {
    this.#underWay++;
    const over = () => {
      this.#underWay--;
      this.#resting.refresh();
    };
    work.then(over, over);
  }

  /** What answers are looked through with is made anew for the next, and what requests left of values is collected. */
  #rest(): void {
    if (this.#underWay > 0) return;
    for (const needles of this.#made) needles.wipe();
    this.#made.clear();
    this.#values = undefined;
    collectAndOverwrite();
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
    this.#underWay = 0;
    this.#rest();
  }

  #set(held: readonly Held[], former: readonly string[]): void {
    this.held = held.map((one) => (isAway(one) ? one : putAway(one)));
    this.#former = [...this.#former, ...former.map((value) => new PutAway(value))].slice(-MOST_FORMER);
    this.placeholders = new Needles(held.map(({ placeholder }) => placeholder));
    this.#values = undefined;
  }
}
