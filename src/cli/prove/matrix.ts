import type { Group } from '../../../prove/probe.ts';
import { type Counts, countsOf, groupsOf, type Report } from '../../../prove/report/report.ts';
import { showText } from '../../host/bytes.ts';
import type { Painter } from '../ui/colour.ts';
import { table } from '../ui/table.ts';

const SHORT = { leaked: '✗', open: '○', blocked: '✓', 'not applicable': '–' } as const;
const LEGEND = '✗ leaked  ○ open: leaks, and the policy does not promise to hold it  ✓ blocked  – not applicable';
const WIDEST_TITLE = 28;

/** Groups × launchers, with counts: in words where there is room, else in signs. */
export function matrixText(report: Report, paint: Painter, width: number | undefined): string {
  const inWords = drawn(report, paint, wordsOf);
  const fits = inWords.plain.split('\n').every((line) => line.length <= (width ?? Number.POSITIVE_INFINITY));
  return fits ? inWords.painted : `${drawn(report, paint, signsOf).painted}${paint('dim', LEGEND)}\n`;
}

function drawn(report: Report, paint: Painter, tell: (counts: Counts) => string) {
  const groups: readonly (Group | undefined)[] = [...groupsOf(report), undefined];
  const counts = groups.map((group) => report.columns.map((_, i) => countsOf(report, i, group)));
  const rows = groups.map((group, at) => [
    group ?? 'all',
    String(sum(counts[at]?.[0] as Counts)),
    ...(counts[at] ?? []).map(tell),
  ]);
  const columns = ['group', 'probes', ...report.columns.map(({ title }) => headOf(title))].map((title) => ({ title }));
  const painted = table({
    columns,
    rows,
    paint: (cell, row, column) => paintCell(cell, counts[row]?.[column - 2], paint, column),
    paintTitle: (cell) => paint('bold', cell),
  });
  return { painted, plain: table({ columns, rows }) };
}

/** The control is no verdict on anything. */
function paintCell(cell: string, counts: Counts | undefined, paint: Painter, column: number): string {
  if (counts === undefined) return cell;
  if (column === 2) return paint('dim', cell);
  if (counts.leaked > 0) return paint('red', cell);
  if (counts.open > 0) return paint('yellow', cell);
  return paint(counts.blocked > 0 ? 'green' : 'dim', cell);
}

const ORDER = ['leaked', 'open', 'blocked', 'not applicable'] as const;

const wordsOf = (counts: Counts) =>
  ORDER.filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status === 'not applicable' ? 'n/a' : status}`)
    .join(', ');

const signsOf = (counts: Counts) =>
  ORDER.filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]}${SHORT[status]}`)
    .join(' ');

const sum = (counts: Counts) => ORDER.reduce((total, status) => total + counts[status], 0);

function headOf(title: string): string {
  const shown = showText(title);
  return shown.length > WIDEST_TITLE ? `${shown.slice(0, WIDEST_TITLE - 1)}…` : shown;
}
