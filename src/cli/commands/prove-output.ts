import type { Report } from '../../prove/report/report.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { proofAsText } from '../ui/prove-report.ts';
import { version } from '../version.ts';
import { tryPlace, writePage } from './prove-file.ts';

export interface Output {
  readonly show: (report: Report) => Promise<void>;
}

/** What is wrong with it shows before the probes are run, not after. */
export function outputOf(parsed: ParsedArguments, context: Context): Output {
  const [json, sarif] = ['--json', '--sarif'].map((name) => hasFlag(parsed, name));
  if (json && sarif) throw usageError('--json and --sarif contradict each other', 'use one of them');
  const given = flagValues(parsed, '--html').at(-1);
  const file = given === undefined ? undefined : textValue(given, '--html');
  if (file !== undefined) tryPlace(file);
  return {
    show: async (report) => {
      if (file !== undefined) writePage(file, await page(report));
      if (json) context.out(asText((await import('../../prove/report/json.ts')).proofAsJson(report)));
      else if (sarif)
        context.out(asText((await import('../../prove/report/sarif.ts')).proofAsSarif(report, version())));
      else context.out(proofAsText(report, { colour: context.colour, columns: context.columns, file }));
    },
  };
}

const asText = (data: object) => `${JSON.stringify(data, null, 2)}\n`;

async function page(report: Report): Promise<string> {
  return (await import('../../prove/report/html/page.ts')).proofAsPage(report);
}
