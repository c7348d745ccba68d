import { checkFiles } from '../../check/check.ts';
import { discover } from '../../check/discover.ts';
import type { Finding, Report } from '../../check/finding.ts';
import { fixFindings } from '../../check/fix.ts';
import type { Kind } from '../../check/kinds/kind.ts';
import { hasFailed, reportAsJson, summaryOf } from '../../check/report/json.ts';
import { type Bytes, showText } from '../../host/bytes.ts';
import { EXIT } from '../../host/errors.ts';
import { workingFolder } from '../../host/folders.ts';
import { CHECK_FLAGS } from '../command-flags.ts';
import { type Context, jsonText } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { type Painter, painter } from '../ui/colour.ts';
import { wrap } from '../ui/definitions.ts';
import { errorText } from '../ui/show-error.ts';
import { version } from '../version.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: CHECK_FLAGS });
  const format = formatOf(parsed);
  const files = filesOf(parsed, context);
  const kind = flagValues(parsed, '--as').at(-1) as Kind | undefined;
  const { state } = context.folders;
  const request = { files, kind, env: context.env, places: profilePlaces(context), state };
  const first = await checkFiles(request);
  const fixed = hasFlag(parsed, '--fix') ? await fixFindings(first, workingFolder()) : [];
  const report = fixed.length === 0 ? first : { ...(await checkFiles(request)), fixed };
  for (const { errors } of report.troubles)
    for (const error of errors) context.err(errorText(error, painter(context.colour.err)));
  context.out(await shown(report, format, context));
  if (report.troubles.length > 0) return EXIT.failure;
  return hasFailed(report) ? EXIT.findings : 0;
}

function filesOf({ words, rest = [] }: ParsedArguments, { folders }: Context): string[] {
  const given = [...words, ...rest].map((word) => textValue(word, 'a file name'));
  return given.length > 0 ? given : discover({ config: folders.config, workdir: workingFolder() });
}

function formatOf(parsed: ParsedArguments): string {
  const format = flagValues(parsed, '--format').at(-1);
  if (format === undefined) return hasFlag(parsed, '--json') ? 'json' : 'text';
  if (hasFlag(parsed, '--json') && format !== 'json')
    throw usageError(`--json and --format ${showText(format)} contradict each other`, 'use one of them');
  return format;
}

async function shown(report: Report, format: string, context: Context): Promise<string> {
  if (format === 'text') return reportAsText(report, context);
  if (format === 'json') return jsonText(reportAsJson(report));
  const { reportAsSarif } = await import('../../check/report/sarif.ts');
  return jsonText(reportAsSarif(report, { version: version(), workdir: workingFolder() }));
}

const SEVERITY_COLOUR = { error: 'red', warning: 'yellow', note: 'cyan' } as const;

type CheckView = Pick<Context, 'colour'> & Partial<Pick<Context, 'columns'>>;

/** Grouped by file, columns aligned over all of them. */
export function reportAsText(report: Report, { colour, columns }: CheckView): string {
  const paint = painter(colour.out);
  const files = [...new Set(report.findings.map(({ file }) => file))];
  const widths = widthsOf(report.findings);
  const first = firstOfEachRule(report.findings);
  const groups = files.map((file) => {
    const lines = report.findings
      .filter((finding) => finding.file === file)
      .map((one) => findingText(one, { widths, paint, columns, isFirst: first.has(one) }));
    return `${paint('bold', showText(file))}\n${lines.join('')}\n`;
  });
  const nothing = report.files.length + report.troubles.length === 0;
  const summary = nothing ? NOTHING : summaryOf(report);
  const fixed = (report.fixed ?? []).map(({ file, what }) => `${paint('green', 'fixed')} ${showText(file)}: ${what}\n`);
  return `${fixed.join('')}${groups.join('')}${paint(summaryColour(report), summary)}\n`;
}

const NOTHING =
  'nothing to check here: no files of Cordon, no workflows, Dockerfiles, compose files, settings, packages or .env files';

function summaryColour(report: Report): Parameters<Painter>[0] {
  return hasFailed(report) || report.troubles.length > 0 ? 'bold' : 'green';
}

interface Widths {
  readonly place: number;
  readonly severity: number;
  readonly rule: number;
}

function widthsOf(findings: readonly Finding[]): Widths {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  return {
    place: widest(findings.map(placeText)),
    severity: widest(findings.map(({ severity }) => severity)),
    rule: widest(findings.map(({ rule }) => rule)),
  };
}

const placeText = ({ region }: Finding) => (region === undefined ? '-' : `${region.line}:${region.column}`);

interface Layout {
  readonly widths: Widths;
  readonly paint: Painter;
  readonly columns: number | undefined;
  /** Why a rule exists is said once. */
  readonly isFirst: boolean;
}

function firstOfEachRule(findings: readonly Finding[]): ReadonlySet<Finding> {
  return new Set(findings.filter(({ rule }, i) => findings.findIndex((other) => other.rule === rule) === i));
}

function findingText(finding: Finding, { widths, paint, columns, isFirst }: Layout): string {
  const { severity, rule, message, why, fix } = finding;
  const head = [
    paint('dim', placeText(finding).padEnd(widths.place)),
    paint(SEVERITY_COLOUR[severity], severity.padEnd(widths.severity)),
    paint('bold', rule.padEnd(widths.rule)),
  ].join('  ');
  const indent = ' '.repeat(widths.place + 4);
  const below = (text: string) => folded(text, indent, columns);
  const beside = `  ${head}  ${message}\n`;
  const shown = columns === undefined || widthOf(widths) + message.length <= columns;
  const reason = isFirst ? below(`why: ${why}`).map((line) => `${paint('dim', line)}\n`) : [];
  const fixLine = below(`fix: ${fix}`).join('\n').replace('fix:', paint('cyan', 'fix:'));
  return `${shown ? beside : `  ${head.trimEnd()}\n${below(message).join('\n')}\n`}${reason.join('')}${fixLine}\n`;
}

const widthOf = ({ place, severity, rule }: Widths) => place + severity + rule + 8;

/** In lines that fit the terminal, each below the other. */
function folded(text: string, indent: string, columns: number | undefined): string[] {
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(30, columns - indent.length - 2);
  return wrap(text, room).map((line, at) => `${indent}${at === 0 ? '' : '  '}${line}`);
}
