import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

export const recordsFile = (state: string) => join(state, 'network.jsonl');

const LARGEST = 16 << 20;

/** A full disk ends no connection: what can't be written is missing from the log, and nothing else. */
export function appendRecord(state: string | undefined, record: NetworkRecord): void {
  if (state === undefined) return;
  const file = recordsFile(state);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST) renameSync(file, `${file}.1`);
    appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  } catch {
    // Nobody is there to be told.
  }
}

/** All records, oldest first, the rotated file included. A line that was cut short is left out. */
export function readRecords(state: string): NetworkRecord[] {
  const file = recordsFile(state);
  return [`${file}.1`, file].flatMap((one) => parseRecords(textOf(one)));
}

export function parseRecords(text: string): NetworkRecord[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as NetworkRecord];
    } catch {
      return [];
    }
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
