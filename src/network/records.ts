import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GrowingRecord, type Line } from '../host/growing-record.ts';

/** One connection, or a name that was asked for and refused. Never what was sent. */
export interface NetworkRecord {
  readonly time: string;
  readonly launch: string;
  readonly name: string;
  readonly port?: number | undefined;
  /** How it was asked for: by its address, through the proxy, or only as a name. */
  readonly via: 'name' | 'proxy' | 'socks' | 'dns' | 'broker';
  readonly verdict: 'allowed' | 'refused' | 'failed';
  /** The rule that decided, as it is written. */
  readonly rule?: string | undefined;
  readonly why?: string | undefined;
  readonly sent?: number | undefined;
  readonly received?: number | undefined;
  readonly ms?: number | undefined;
  /** Of a request that the broker saw: by their names, never a value. */
  readonly credentials?: readonly string[] | undefined;
  readonly method?: string | undefined;
  readonly status?: number | undefined;
}

const recordsFile = (state: string) => join(state, 'network.jsonl');

const LARGEST = 16 << 20;
const TOGETHER_MS = 20;

/**
 * Writes down what is said within a moment at once, so that no connection waits for the disk. A full disk ends no connection: what can't
 * be written is missing from the log, and nothing else.
 */
export class RecordWriter {
  readonly #file: string | undefined;
  #lines = '';

  constructor(state: string | undefined) {
    this.#file = state === undefined ? undefined : recordsFile(state);
  }

  add(record: NetworkRecord): void {
    if (this.#file === undefined) return;
    if (this.#lines === '') setTimeout(() => this.flush(), TOGETHER_MS).unref();
    this.#lines += `${JSON.stringify(record)}\n`;
  }

  flush(): void {
    const [file, lines] = [this.#file, this.#lines];
    if (file === undefined || lines === '') return;
    this.#lines = '';
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST) renameSync(file, `${file}.1`);
      appendFileSync(file, lines, { mode: 0o600 });
    } catch {
      // Nobody is there to be told.
    }
  }
}

/** What was written down, the rotated file included. A line that was cut short, or is no record, is left out. */
export class NetworkRecords {
  readonly #lines: GrowingRecord;

  constructor(state: string) {
    this.#lines = new GrowingRecord(recordsFile(state));
  }

  /** Oldest first what is new since the last look; everything again, after `forget`, where a file was rotated or replaced. */
  refresh(take: (record: NetworkRecord) => void, forget: () => void = () => undefined): void {
    this.#lines.refresh((line) => takeRecord(line, take), forget);
  }

  /** Only what is new. */
  follow(take: (record: NetworkRecord) => void): void {
    this.#lines.follow((line) => takeRecord(line, take));
  }
}

export function readRecords(state: string): NetworkRecord[] {
  const all: NetworkRecord[] = [];
  new NetworkRecords(state).refresh((record) => all.push(record));
  return all;
}

function takeRecord(line: Line, take: (record: NetworkRecord) => void): void {
  const text = 'text' in line ? line.text : '';
  // What was cut short by a full disk may stand before a whole one.
  for (const part of [text, text.slice(Math.max(0, text.lastIndexOf('{"time":')))]) {
    try {
      const value: unknown = JSON.parse(part);
      if (isRecord(value)) take(value);
      return;
    } catch {
      // The next, or none.
    }
  }
}

const TEXTS = ['time', 'launch', 'name', 'via', 'verdict'];

function isRecord(value: unknown): value is NetworkRecord {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  const isEvery = (names: readonly string[], kinds: readonly string[]) =>
    names.every((name) => kinds.includes(typeof fields[name]));
  return (
    isEvery(TEXTS, ['string']) &&
    isEvery(['rule', 'why', 'method'], ['string', 'undefined']) &&
    isEvery(['port', 'sent', 'received', 'ms', 'status'], ['number', 'undefined'])
  );
}
