import type { Report } from '../../../prove/report/report.ts';
import { sarifLog } from '../../host/sarif.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { version } from '../version.ts';
import { tryPlace, writePage } from './page-file.ts';
import { proofAsText } from './report-text.ts';

export interface ReportOutput {
  readonly show: (report: Report) => Promise<void>;
}

/** What is wrong with it shows before the probes are run, not after. */
export function outputOf(parsed: ParsedArguments, context: Context): ReportOutput {
  const [json, sarif] = ['--json', '--sarif'].map((name) => hasFlag(parsed, name));
  if (json && sarif) throw usageError('--json and --sarif contradict each other', 'use one of them');
  const given = flagValues(parsed, '--html').at(-1);
  const file = given === undefined ? undefined : textValue(given, '--html');
  if (file !== undefined) tryPlace(file);
  return {
    show: async (report) => {
      if (file !== undefined) writePage(file, await page(report));
      if (json) context.out(asText((await import('../../../prove/report/json.ts')).proofAsJson(report)));
      else if (sarif) context.out(asText(await proofAsSarif(report, version())));
      else context.out(proofAsText(report, { colour: context.colour, columns: context.columns, file }));
    },
  };
}

export async function proofAsSarif(report: Report, version: string): Promise<object> {
  const { proofInSarif } = await import('../../../prove/report/sarif.ts');
  const { rules, run } = proofInSarif(report);
  return sarifLog({ name: 'cordon prove', version, rules }, run);
}

const asText = (data: object) => `${JSON.stringify(data, null, 2)}\n`;

async function page(report: Report): Promise<string> {
  return (await import('../../../prove/report/html/page.ts')).proofAsPage(report);
}
