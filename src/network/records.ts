import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
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
