import type { Status } from '../../../prove/cell.ts';
import type { Probe } from '../../../prove/probe.ts';
import { type Column, ownColumn, type Report } from '../../../prove/report/report.ts';
import { summaryOf } from '../../../prove/report/summary.ts';
import { showText } from '../../host/bytes.ts';
import type { Context } from '../context.ts';
import { type Painter, painter } from '../ui/colour.ts';
import { matrixText } from './matrix.ts';

export interface Shown extends Pick<Context, 'colour' | 'columns'> {
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
