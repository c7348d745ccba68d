import { rmSync, statSync } from 'node:fs';
import type { Status } from '../../../prove/cell.ts';
import type { Group, Probe } from '../../../prove/probe.ts';
import { type Column, type Counts, countsOf, groupsOf, ownColumn, type Report } from '../../../prove/report/report.ts';
import { summaryOf } from '../../../prove/report/summary.ts';
import { showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { realPathOf } from '../../host/files.ts';
import { sarifLog } from '../../host/sarif.ts';
import { whyItFailed } from '../../host/system-error.ts';
import { replaceFile, writeBeside } from '../../host/whole-file.ts';
import { type Context, jsonText } from '../context.ts';
import { hasFlag, lastText, type ParsedArguments, usageError } from '../flags.ts';
import { type Painter, painter } from '../ui/colour.ts';
import { table } from '../ui/table.ts';
import { version } from '../version.ts';

interface ReportOutput {
  readonly show: (report: Report) => Promise<void>;
}

/** What is wrong with it shows before the probes are run, not after. */
export function outputOf(parsed: ParsedArguments, context: Context): ReportOutput {
  const [json, sarif] = ['--json', '--sarif'].map((name) => hasFlag(parsed, name));
  if (json && sarif) throw usageError('--json and --sarif contradict each other', 'use one of them');
  const file = lastText(parsed, '--html');
  if (file !== undefined) tryPlace(file);
  return {
    show: async (report) => {
      if (file !== undefined) writePage(file, await page(report));
      if (json) context.out(jsonText((await import('../../../prove/report/json.ts')).proofAsJson(report)));
      else if (sarif) context.out(jsonText(await proofAsSarif(report, version())));
      else context.out(proofAsText(report, { colour: context.colour, columns: context.columns, file }));
    },
  };
}

export async function proofAsSarif(report: Report, version: string): Promise<object> {
  const { proofInSarif } = await import('../../../prove/report/sarif.ts');
  const { rules, run } = proofInSarif(report);
  return sarifLog({ name: 'cordon prove', version, rules }, run);
}

async function page(report: Report): Promise<string> {
  return (await import('../../../prove/report/html/page.ts')).proofAsPage(report);
}

/** Whether the file could be written, told by doing so beside it. */
function tryPlace(path: string): void {
  explained(path, () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw notAFile(path);
    rmSync(writeBeside(realPathOf(path), '').path);
  });
}

/** Whoever looks at it meanwhile has the old one. A link stays one. */
function writePage(path: string, text: string): void {
  explained(path, () => replaceFile(realPathOf(path), text, { mode: 0o666 & ~process.umask() }));
}

function explained(path: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof CordonError) throw cause;
    throw new CordonError('write', `the page cannot be written there: ${whyItFailed(cause)}`, {
      where: path,
      hint: 'give --html a file in a folder that is there and that you may write to',
      cause,
    });
  }
}

const notAFile = (path: string) =>
  new CordonError('write', 'there is something else than a file', { where: path, hint: 'give --html another name' });

interface ProofView extends Pick<Context, 'colour' | 'columns'> {
  /** Where the page was written. */
  readonly file?: string | undefined;
}

/** The matrix by group, every leak of Cordon's with what it gives, and what it comes to. */
export function proofAsText(report: Report, { colour, columns, file }: ProofView): string {
  const paint = painter(colour.out);
  const own = ownColumn(report);
  const others = report.columns.map((column, i) => [column, i] as const).filter(([{ kind }]) => kind === 'other');
  return [
    matrixText(report, paint, { colour, columns }),
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
function matrixText(report: Report, paint: Painter, { colour, columns }: ProofView): string {
  const inWords = drawn(report, colour.out, wordsOf);
  const fits = inWords.plain.split('\n').every((line) => line.length <= (columns ?? Number.POSITIVE_INFINITY));
  return fits ? inWords.painted : `${drawn(report, colour.out, signsOf).painted}${paint('dim', LEGEND)}\n`;
}

function drawn(report: Report, coloured: boolean, tell: (counts: Counts) => string) {
  const groups: readonly (Group | undefined)[] = [...groupsOf(report), undefined];
  const counts = groups.map((group) => report.columns.map((_, i) => countsOf(report, i, group)));
  const rows = groups.map((group, at) => [
    group ?? 'all',
    String(sum(counts[at]?.[0] as Counts)),
    ...(counts[at] ?? []).map(tell),
  ]);
  const titles = ['group', 'probes', ...report.columns.map(({ title }) => headOf(title))];
  const style = (row: number, column: number) => styleOf(counts[row]?.[column - 2], column);
  const shown = (out: boolean) => table({ titles, rows, style }, { columns: undefined, colour: { out, err: false } });
  return { painted: shown(coloured), plain: shown(false) };
}

/** The control is no verdict on anything. */
function styleOf(counts: Counts | undefined, column: number): Parameters<Painter>[0] | undefined {
  if (counts === undefined) return undefined;
  if (column === 2) return 'dim';
  if (counts.leaked > 0) return 'red';
  if (counts.open > 0) return 'yellow';
  return counts.blocked > 0 ? 'green' : 'dim';
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
