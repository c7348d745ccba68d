import { rmSync, statSync } from 'node:fs';
import type { Report } from '../../../prove/report/report.ts';
import { CordonError } from '../../host/errors.ts';
import { realPathOf } from '../../host/files.ts';
import { sarifLog } from '../../host/sarif.ts';
import { replaceFile, writeBeside } from '../../host/whole-file.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { version } from '../version.ts';
import { proofAsText } from './report-text.ts';

interface ReportOutput {
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
    throw new CordonError('write', `the page cannot be written there (${(cause as NodeJS.ErrnoException).code})`, {
      where: path,
      hint: 'give --html a file in a folder that is there and that you may write to',
      cause,
    });
  }
}

const notAFile = (path: string) =>
  new CordonError('write', 'there is something else than a file', { where: path, hint: 'give --html another name' });
