import { GrowingRecord, type Line } from '../host/growing-record.ts';
import { type NetworkRecord, recordsFile } from './records.ts';

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
