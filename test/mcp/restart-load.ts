import { loadavg } from 'node:os';
import type { Called } from './replica-support.ts';

/** Not run: so it was said, or no connection came about. Unknown: so it was said, or the connection broke. Silent: neither, for a minute. */
export type Fate = 'done' | 'not run' | 'unknown' | 'silent';
type Phase = 'before' | 'during' | 'after';

/** Servers as a client reaches them; which one is asked follows from the number of a call. */
export interface Asked {
  /** The id of a new session, or `none…`. */
  open(name: string, number: number): Promise<string>;
  call(name: string, id: string, command: string, number: number): Promise<Called>;
  /** What became of a call whose request failed. */
  fateOf(error: unknown): Fate;
  ownValue(name: string): string;
}

export interface Made {
  readonly number: number;
  readonly name: string;
  readonly fate: Fate;
  readonly phase: Phase;
  readonly ms: number;
}

class WrongValue extends Error {}

/** So many groups, each of users of one server: nobody should wait because another's server is away. */
export const groupsOf = (people: readonly string[], homeOf: (name: string) => number, each: number): string[][] =>
  [0, 1].flatMap((home) => {
    const there = people.filter((name) => homeOf(name) === home);
    return Array.from({ length: each }, (_, i) => there.filter((_, at) => at % each === i));
  });

/** Users with some sessions each, whose calls print their own value and then leave their number in a file. Of each group one at a time calls. */
export class Load {
  readonly #asked: Asked;
  readonly #groups: readonly (readonly string[])[];
  readonly #each: number;
  readonly #sessions = new Map<string, string>();
  readonly #turns: number[];
  readonly made: Made[] = [];
  #phase: Phase = 'before';
  #next = 0;

  constructor(asked: Asked, groups: readonly (readonly string[])[], each: number) {
    this.#asked = asked;
    this.#groups = groups;
    this.#each = each;
    this.#turns = groups.map(() => 0);
  }

  get sessions(): number {
    return this.#groups.flat().length * this.#each;
  }

  /** A first call in each session. */
  async open(): Promise<void> {
    await this.run('before', 1);
    const [bad] = this.made.filter(({ fate }) => fate !== 'done');
    if (bad !== undefined) throw new Error(`${bad.name} cannot call: ${bad.fate}`);
    this.made.length = 0;
  }

  /** Calls as long as something takes, or so many times in each session. */
  async run(phase: Phase, until: Promise<unknown> | number) {
    this.#phase = phase;
    const started = performance.now();
    let isOver = false;
    if (typeof until !== 'number') void until.then(...both(() => (isOver = true)));
    const worker = async (at: number) => {
      const most = typeof until === 'number' ? (this.#groups[at] ?? []).length * this.#each * until : Infinity;
      for (let made = 0; !isOver && made < most; made++) await this.#call(at);
    };
    await Promise.all(this.#groups.map((_, at) => worker(at)));
    await until;
    return figuresOf(this.made, phase, (performance.now() - started) / 1000);
  }

  async #call(at: number): Promise<void> {
    const [group, turn, number] = [this.#groups[at] as readonly string[], this.#turns[at] as number, this.#next++];
    this.#turns[at] = turn + 1;
    const name = group[turn % group.length] as string;
    const key = `${name} ${Math.floor(turn / group.length) % this.#each}`;
    const [phase, started] = [this.#phase, performance.now()];
    const fate = await this.#fateOf(number, name, key);
    this.made.push({ number, name, fate, phase, ms: performance.now() - started });
  }

  async #fateOf(number: number, name: string, key: string): Promise<Fate> {
    const id = await this.#session(key, name, number).catch(() => 'none: not reached');
    if (id.startsWith('none')) return 'not run';
    const command = `echo "$OWN_KEY"; echo ${number} >> ran`;
    try {
      const { status, text, output } = await this.#asked.call(name, id, command, number);
      if (output !== undefined) return this.#checked(output, name);
      if (status === 404) this.#sessions.delete(key);
      return /unknown whether/.test(text) ? 'unknown' : 'not run';
    } catch (error) {
      if (error instanceof WrongValue) throw error;
      return this.#asked.fateOf(error);
    }
  }

  #checked(output: string, name: string): Fate {
    if (output !== this.#asked.ownValue(name)) throw new WrongValue(`${name} was given ${output}`);
    return 'done';
  }

  /** As clients do: a session that is not found is opened anew. */
  async #session(key: string, name: string, number: number): Promise<string> {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const id = await this.#asked.open(name, number);
    if (!id.startsWith('none')) this.#sessions.set(key, id);
    return id;
  }

  /** What was said of a call that is not what the files of its user tell, as far back as they do. */
  contradictions(ranOf: (name: string) => readonly number[], isAllKept = true): string[] {
    return this.#groups.flat().flatMap((name) => {
      const ran = ranOf(name);
      const first = isAllKept ? 0 : Math.min(...ran);
      const twice = ran.filter((number, i) => ran.indexOf(number) !== i).map((number) => `${number} ran twice`);
      const wrong = this.made.filter(
        (one) =>
          one.name === name &&
          one.number >= first &&
          (one.fate === 'done' || one.fate === 'not run') &&
          ran.includes(one.number) !== (one.fate === 'done'),
      );
      return [...twice, ...wrong.map(({ number, fate, phase }) => `${number} of ${name} was ${fate} (${phase})`)];
    });
  }

  /** Users whose latest call was not done. */
  get unserved(): readonly Made[] {
    return [...new Map(this.made.map((one) => [one.name, one])).values()].filter(({ fate }) => fate !== 'done');
  }
}

const both = <T>(act: T): [T, T] => [act, act];

/** With how many processes the machine had at the end: what else it does is in all durations. */
function figuresOf(made: readonly Made[], phase: Phase, seconds: number) {
  const of = made.filter((one) => one.phase === phase);
  const done = of.filter(({ fate }) => fate === 'done').map(({ ms }) => ms);
  const sorted = done.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
  const count = (fate: Fate) => of.filter((one) => one.fate === fate).length;
  return {
    ...{ phase, done: done.length, notRun: count('not run'), unknown: count('unknown'), silent: count('silent') },
    ...{ seconds: Math.round(seconds), perSecond: Number((done.length / seconds).toFixed(1)) },
    ...{ p50: at(0.5), p95: at(0.95), p99: at(0.99), busy: Number(loadavg()[0]?.toFixed(1)) },
  };
}
