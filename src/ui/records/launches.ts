import { GrowingRecord, type Line } from '../../host/growing-record.ts';
import { auditFile } from '../../launch/audit.ts';
import type { DamagedLine, LaunchDetails, LaunchRow } from '../api.ts';
import { fieldsOf, listOf, numberOf, parseFields, type RecordFields, shortText, textOf, textsOf } from './shape.ts';

/** What the audit record alone knows of a launch. */
export type OwnDetails = Omit<LaunchDetails, 'hosts' | 'aside'>;

const SHOWN_DAMAGED = 20;
const MOST_NAMES_HELD = 4_000_000;

/** The audit record, read once and then only where it grew. */
export class LaunchRecord {
  readonly #record: GrowingRecord | undefined;
  #rows: LaunchRow[] = [];
  #details: OwnDetails[] = [];
  #byId = new Map<string, number>();
  #damaged: DamagedLine[] = [];
  #damagedCount = 0;
  #names = 0;
  #generation = 0;

  constructor(stateFolder: string | undefined) {
    this.#record = stateFolder === undefined ? undefined : new GrowingRecord(auditFile(stateFolder));
  }

  get rows(): readonly LaunchRow[] {
    return this.#rows;
  }

  get generation(): string {
    return String(this.#generation);
  }

  get damaged(): { readonly lines: readonly DamagedLine[]; readonly count: number } {
    return { lines: this.#damaged, count: this.#damagedCount };
  }

  details(id: string): OwnDetails | undefined {
    const at = this.#byId.get(id);
    return at === undefined ? undefined : this.#details[at];
  }

  refresh(): void {
    this.#record?.refresh(
      (line) => this.#take(line),
      () => this.#forget(),
    );
  }

  #forget(): void {
    this.#generation++;
    [this.#rows, this.#details, this.#damaged] = [[], [], []];
    this.#byId = new Map();
    [this.#damagedCount, this.#names] = [0, 0];
  }

  #take(line: Line): void {
    const fields = 'text' in line ? parseFields(line.text) : undefined;
    if (fields === undefined) this.#takeDamaged(line);
    else this.#takeDetails(detailsOf(fields));
  }

  #takeDetails(details: OwnDetails): void {
    this.#names += details.passed.length + details.dropped.length;
    this.#byId.set(details.row.id, this.#rows.length);
    this.#rows.push(details.row);
    this.#details.push(this.#names > MOST_NAMES_HELD ? { ...details, passed: [], dropped: [] } : details);
  }

  #takeDamaged(line: Line): void {
    this.#damagedCount++;
    if (this.#damaged.length >= SHOWN_DAMAGED) return;
    const [bytes, head] = 'text' in line ? [Buffer.byteLength(line.text), line.text] : [line.bytes, line.head];
    this.#damaged.push({ bytes, head: shortText(head, 160) });
  }
}

function detailsOf(fields: RecordFields): OwnDetails {
  const passed = textsOf(fields.passed);
  const credentials = textsOf(fields.credentials);
  const dropped = listOf(fields.dropped).flatMap((one) => {
    const entry = fieldsOf(one);
    return entry === undefined ? [] : [{ name: textOf(entry.name, '?'), rule: textOf(entry.rule, '?') }];
  });
  return {
    row: {
      id: textOf(fields.id, '?'),
      time: timeOf(fields.time),
      command: textOf(fields.command, '?'),
      arguments: numberOf(fields.arguments),
      folder: textOf(fields.folder) || null,
      policy: textOf(fields.policy, '?'),
      isolation: textOf(fields.isolation, '?'),
      exit: numberOf(fields.exit),
      durationMs: numberOf(fields.duration_ms),
      passed: passed.length,
      dropped: dropped.length,
      credentials: credentials.length,
      hostsReached: 0,
      hostsRefused: 0,
      aside: 0,
    },
    passed,
    set: textsOf(fields.set),
    credentials,
    brokered: textsOf(fields.brokered),
    dropped,
    asked: textOf(fields.asked),
    preset: textOf(fields.preset),
    network: textOf(fields.network),
  };
}

function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : 0;
}
