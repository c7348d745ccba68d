import { checkFiles } from '../../check/check.ts';
import { discover } from '../../check/discover.ts';
import type { Report } from '../../check/finding.ts';
import { fixFindings } from '../../check/fix.ts';
import type { Kind } from '../../check/kinds/kind.ts';
import { reportAsJson } from '../../check/report/json.ts';
import { hasFailed } from '../../check/report/summary.ts';
import { type Bytes, showText } from '../../host/bytes.ts';
import { EXIT } from '../../host/errors.ts';
import { workingFolder } from '../../host/folders.ts';
import { CHECK_FLAGS } from '../command-flags.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { reportAsText } from '../ui/check-report.ts';
import { painter } from '../ui/colour.ts';
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
  if (format === 'json') return `${JSON.stringify(reportAsJson(report), null, 2)}\n`;
  const { reportAsSarif } = await import('../../check/report/sarif.ts');
  return `${JSON.stringify(reportAsSarif(report, { version: version(), workdir: workingFolder() }), null, 2)}\n`;
}
