import type { Bytes } from '../host/bytes.ts';
import { Automaton } from '../redact/automaton.ts';
import { formsOf } from '../redact/forms.ts';
import { Skipper } from '../redact/skip.ts';
import { Secret } from '../secrets/secret.ts';
import type { Look } from './flow.ts';

/** What is looked for, in all its forms; made once, used for as many streams as there are. */
export class Needles {
  readonly forms: readonly Buffer[];
  readonly automaton: Automaton;
  readonly skipper: Skipper | undefined;

  /** The place of a text in the list is what a sighting goes by. */
  constructor(texts: readonly string[]) {
    const needles = texts.flatMap((text, label) => formsOf(new Secret(text as Bytes)).map((form) => ({ form, label })));
    this.forms = needles.map(({ form }) => form);
    this.automaton = new Automaton(needles);
    this.skipper = needles.length === 0 ? undefined : new Skipper(this.forms);
  }

  /** Nobody looks with them any more. */
  wipe(): void {
    for (const form of this.forms) form.fill(0);
    this.automaton.wipe();
  }
}

const NOTHING = Buffer.alloc(0);
const sizeOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);

type OnFound = (label: number) => 'mask' | 'stop';

interface Queued {
  readonly data: Buffer;
  /** Where its bytes stand in the text that is looked through; undefined for what isn't part of it. */
  readonly from: number | undefined;
}

/**
 * Looks through a stream and gives it out again, as long as before: what is found is covered with asterisks, so that lengths which were
 * announced stay right. Held back is only what may still become a match; a match is never given out in part.
 */
export class Scanner {
  readonly #needles: Needles;
  readonly #onFound: OnFound;
  #queue: Queued[] = [];
  #state = 0;
  #seen = 0;
  #stopped = false;

  constructor(needles: Needles, onFound: OnFound) {
    this.#needles = needles;
    this.#onFound = onFound;
  }

  /** Takes the chunks over: they may be written to. What came in several is given out in one piece. */
  push(...chunks: Buffer[]): Buffer[] {
    const { skipper, automaton } = this.#needles;
    if (skipper === undefined || this.#stopped) return this.#stopped ? [] : chunks;
    const { data, from } = this.#joined(chunks);
    this.#queue.push({ data, from });
    let at = this.#seen - from;
    this.#seen = from + data.length;
    while (at < data.length && !this.#stopped) {
      if (this.#state === 0) at = skipper.skip(data, at);
      if (at >= data.length) break;
      this.#state = automaton.step(this.#state, data[at++] as number);
      if (automaton.matched[this.#state] !== 0) this.#found(from + at);
    }
    return this.#stopped ? [] : this.#giveOut(this.#seen - (automaton.depth[this.#state] as number));
  }

  /** With what was held back before them, unless that is longer: a long value that comes byte by byte would be copied for each. */
  #joined(chunks: readonly Buffer[]): { readonly data: Buffer; readonly from: number } {
    const [first] = this.#queue;
    const isShort = first !== undefined && this.#queue.length === 1 && first.data.length <= sizeOf(chunks);
    const held = isShort && first.from !== undefined ? first : { data: NOTHING, from: this.#seen };
    if (held === first) this.#queue = [];
    const [only] = chunks;
    const isOne = held.data.length === 0 && chunks.length === 1 && only !== undefined;
    return { data: isOne ? only : Buffer.concat([held.data, ...chunks]), from: held.from as number };
  }

  /** What stands between the parts of the text, such as the head of a frame: it keeps its place and is not looked at. */
  pass(data: Buffer): Buffer[] {
    if (this.#queue.length === 0) return this.#stopped ? [] : [data];
    this.#queue.push({ data, from: undefined });
    return [];
  }

  /** Nothing more belongs to this text. Where it is cut out of a longer one, a beginning that long is covered too. */
  end(longestBeginning = Number.POSITIVE_INFINITY): Buffer[] {
    const held = this.#needles.automaton.depth[this.#state] as number;
    if (held > longestBeginning) this.#cover(this.#seen - held, this.#seen);
    this.#state = 0;
    return this.#stopped ? [] : this.#giveOut(this.#seen);
  }

  #found(end: number): void {
    const { matched, label } = this.#needles.automaton;
    if (this.#onFound(label[this.#state] as number) === 'stop') {
      this.#stopped = true;
      this.#queue = [];
      return;
    }
    this.#cover(end - (matched[this.#state] as number), end);
  }

  #cover(start: number, end: number): void {
    for (const { data, from } of this.#queue) {
      if (from === undefined || from + data.length <= start) continue;
      data.fill('*', Math.max(0, start - from), Math.min(data.length, end - from));
    }
  }

  #giveOut(safe: number): Buffer[] {
    const out: Buffer[] = [];
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const { data, from } = first;
      if (from !== undefined && from >= safe && data.length > 0) break;
      this.#queue.shift();
      const ready = from === undefined ? data.length : Math.min(data.length, safe - from);
      if (ready > 0) out.push(data.subarray(0, ready));
      if (ready === data.length) continue;
      this.#queue.unshift({ data: data.subarray(ready), from: (from as number) + ready });
      break;
    }
    return out;
  }
}

/** Told how much went through. */
type OnData = (bytes: number) => void;

/** So much of a value may show at the edge of a part of a document. */
const LONGEST_REST = 7;

/** A body without what is looked for. A part of a longer document may begin or end in the middle of it. */
export function mask(needles: Needles, onData: OnData, extent: 'whole' | 'part' = 'whole'): Look {
  const scanner = new Scanner(needles, () => 'mask');
  const isPart = extent === 'part';
  const longest = isPart ? Math.max(0, ...needles.forms.map(({ length }) => length)) : 0;
  let first: Buffer | undefined = longest === 0 ? undefined : Buffer.alloc(0);
  const start = (): Buffer[] => {
    const data = first ?? Buffer.alloc(0);
    first = undefined;
    for (const form of needles.forms) coverEndAtStart(data, form);
    return scanner.push(data);
  };
  return {
    push(...chunks) {
      onData(sizeOf(chunks));
      if (first === undefined) return scanner.push(...chunks);
      first = Buffer.concat([first, ...chunks]);
      return first.length < longest ? [] : start();
    },
    end: () => [...(first === undefined ? [] : start()), ...scanner.end(isPart ? LONGEST_REST : undefined)],
  };
}

function coverEndAtStart(data: Buffer, form: Buffer): void {
  for (let from = 1; form.length - from > LONGEST_REST; from++) {
    const rest = form.subarray(from);
    if (data.subarray(0, rest.length).equals(rest)) data.fill('*', 0, rest.length);
  }
}

/** A body that fails as soon as it holds what is looked for, of which no byte has then gone on. */
export function forbid(needles: Needles, onData: OnData, errorFor: (label: number) => Error): Look {
  let seen: Error | undefined;
  const scanner = new Scanner(needles, (label) => {
    seen = errorFor(label);
    return 'stop';
  });
  return {
    push(...chunks) {
      onData(sizeOf(chunks));
      const clean = scanner.push(...chunks);
      if (seen !== undefined) throw seen;
      return clean;
    },
    end: () => scanner.end(),
  };
}

/** A short text without what is looked for. */
export function masked(needles: Needles, text: string): string {
  if (needles.skipper === undefined) return text;
  const scanner = new Scanner(needles, () => 'mask');
  return Buffer.concat([...scanner.push(Buffer.from(text, 'latin1')), ...scanner.end()]).toString('latin1');
}

/** How often each is found in a short text, in any form. */
export function countsIn(needles: Needles, text: string): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  const scanner = new Scanner(needles, (label) => {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    return 'mask';
  });
  scanner.push(Buffer.from(text, 'latin1'));
  return counts;
}
