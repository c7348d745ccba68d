import type { Status } from '../../../prove/cell.ts';
import type { Group, Probe } from '../../../prove/probe.ts';
import { type Column, type Counts, countsOf, groupsOf, ownColumn, type Report } from '../../../prove/report/report.ts';
import { summaryOf } from '../../../prove/report/summary.ts';
import { showText } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { type Painter, painter } from '../ui/colour.ts';
import { table } from '../ui/table.ts';

interface Shown extends Pick<Context, 'colour' | 'columns'> {
  /** Where the page was written. */
  readonly file?: string | undefined;
}

/** The matrix by group, every leak of Cordon's with what it gives, and what it comes to. */
export function proofAsText(report: Report, { colour, columns, file }: Shown): string {
  const paint = painter(colour.out);
  const own = ownColumn(report);
  const others = report.columns.map((column, i) => [column, i] as const).filter(([{ kind }]) => kind === 'other');
  return [
    matrixText(report, paint, columns),
    leaks(report, own, paint),
    openOnes(report, own, paint),
    ...others.map(([column, i]) => leaksOfOther(report, column, i, paint)),
    notTried(report, own, paint),
    `${paint(...summaryOf(report))}\n`,
    `${paint('cyan', 'hint:')} ${hintOf(report, file)}\n`,
  ].join('');
}

const probesWith = ({ rows }: Report, column: number, status: Status) =>
  rows.flatMap(({ probe, cells }) => {
    const cell = cells[column];
    return cell?.status === status ? [{ probe, reason: cell.reason }] : [];
  });

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}\n${lines.join('\n')}\n`;
}

function leaks(report: Report, own: number, paint: Painter): string {
  const lines = probesWith(report, own, 'leaked').flatMap(({ probe }) => [
    `  ${paint('red', probe.id)}  ${probe.title}`,
    `    gives  ${probe.gives}`,
    `    tried  ${probe.tried}`,
    `    see    ${paint('dim', probe.reference)}`,
  ]);
  return section(paint('bold', 'Leaked, although the policy promises to hold it'), lines);
}

function openOnes(report: Report, own: number, paint: Painter): string {
  const lines = probesWith(report, own, 'open').flatMap(({ probe, reason = '' }) => [
    `  ${paint('yellow', probe.id)}  gives ${probe.gives}`,
    `    ${reason}  ${paint('dim', probe.reference)}`,
  ]);
  return section(paint('bold', 'Open: this policy lets it leak'), lines);
}

function leaksOfOther(report: Report, { title }: Column, column: number, paint: Painter): string {
  const lines = probesWith(report, column, 'leaked').map(({ probe }) => `  ${paint('dim', probe.id)}  ${probe.title}`);
  return section(paint('bold', `Leaked under ${showText(title)}`), lines);
}

/** One line for each reason: many probes share one. */
function notTried(report: Report, own: number, paint: Painter): string {
  const byReason = new Map<string, Probe[]>();
  for (const { probe, reason = '' } of probesWith(report, own, 'not applicable'))
    byReason.set(reason, [...(byReason.get(reason) ?? []), probe]);
  const lines = [...byReason].flatMap(([reason, probes]) => [
    `  ${reason}`,
    ...probes.map(({ id }) => `    ${paint('dim', id)}`),
  ]);
  return section(paint('bold', 'Not applicable'), lines).concat('\n');
}

function hintOf({ rows }: Report, file: string | undefined): string {
  if (file !== undefined) return `the page is in ${showText(file)}`;
  return rows.length === 1
    ? 'cordon prove without --only tries every way'
    : 'cordon prove --html FILE writes a page with every probe; --only ID tries one again';
}

const SHORT = { leaked: '✗', open: '○', blocked: '✓', 'not applicable': '–' } as const;
const LEGEND = '✗ leaked  ○ open: leaks, and the policy does not promise to hold it  ✓ blocked  – not applicable';
const WIDEST_TITLE = 28;

/** Groups × launchers, with counts: in words where there is room, else in signs. */
function matrixText(report: Report, paint: Painter, width: number | undefined): string {
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
