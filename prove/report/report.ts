import type { Status } from '../cell.ts';
import { type Launcher, NOTHING } from '../launchers.ts';
import { type Group, groupOf } from '../probe.ts';
import type { Commitments } from '../promise.ts';
import type { Row } from '../run.ts';

/** What is said about the machine: nothing that tells whose it is. */
export interface MachineFacts {
  readonly system: string;
  readonly kernel: string;
  readonly arch: string;
  readonly user: 'root' | 'ordinary';
  readonly barrier: string;
}

export type Column = Pick<Launcher, 'kind' | 'title' | 'version' | 'flags'>;

export interface Report {
  readonly date: string;
  readonly machine: MachineFacts;
  /** The control first. */
  readonly columns: readonly Column[];
  readonly commitments: Commitments;
  readonly rows: readonly Row[];
  /** Whether everything that was asked for was tried. */
  readonly complete: boolean;
}

export type Counts = Readonly<Record<Status, number>>;

/** One column, of all probes or of one group. */
export function countsOf({ rows }: Pick<Report, 'rows'>, column: number, group?: Group): Counts {
  const counts = { leaked: 0, open: 0, blocked: 0, 'not applicable': 0 };
  for (const { probe, cells } of rows)
    if (group === undefined || groupOf(probe) === group) counts[cells[column]?.status ?? 'not applicable']++;
  return counts;
}

/** Those that were tried, in the order of the matrix. */
export const groupsOf = ({ rows }: Pick<Report, 'rows'>): Group[] => [
  ...new Set(rows.map(({ probe }) => groupOf(probe))),
];

export const columnsOf = (launchers: readonly Launcher[]): Column[] =>
  [NOTHING, ...launchers].map(({ kind, title, version, flags }) => ({ kind, title, version, flags }));

/** Where Cordon's own column stands. */
export const ownColumn = ({ columns }: Pick<Report, 'columns'>): number =>
  columns.findIndex(({ kind }) => kind === 'cordon');

/** `leak`: a promise is broken. `unproven`: not everything was tried, or nothing of it could be. */
export type Verdict = 'held' | 'leak' | 'unproven';

export function verdictOf(report: Report): Verdict {
  const own = countsOf(report, ownColumn(report));
  if (own.leaked > 0) return 'leak';
  const triedAny = own.blocked + own.open > 0;
  return report.complete && (triedAny || countsOf(report, 0).leaked === 0) ? 'held' : 'unproven';
}

const EXIT_CODES: Readonly<Record<Verdict, number>> = { held: 0, leak: 1, unproven: 125 };

export const exitCodeOf = (report: Report): number => EXIT_CODES[verdictOf(report)];
