import { isAbsolute, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CordonError } from '../../host/errors.ts';
import { ruleName, sarifLog, sentence } from '../../host/sarif.ts';
import type { Finding, Region, Report } from '../finding.ts';
import { type CheckRule, RULES } from '../rules.ts';

const IDS = Object.keys(RULES);

export interface SarifOptions {
  readonly version: string;
  /** What file names are relative to. */
  readonly workdir: string;
}

/** SARIF 2.1.0, which code scanning services read. */
export function reportAsSarif(report: Report, options: SarifOptions): object {
  const { version, workdir } = options;
  const notifications = report.troubles.flatMap(({ file, errors }) =>
    errors.map((error) => notification(file, error, workdir)),
  );
  return sarifLog(
    { name: 'cordon check', version, rules: Object.entries(RULES).map(descriptor) },
    {
      originalUriBaseIds: { SRCROOT: { description: { text: 'the folder that cordon check ran in' } } },
      artifacts: report.files.map(({ file }) => ({ location: artifact(file, workdir) })),
      invocations: [{ executionSuccessful: report.troubles.length === 0, toolExecutionNotifications: notifications }],
      results: [...report.findings, ...report.silenced].map((finding) => result(finding, workdir)),
    },
  );
}

function descriptor([id, { severity, title, why, fix }]: readonly [string, CheckRule]): object {
  return {
    id,
    name: ruleName(id),
    shortDescription: { text: title },
    fullDescription: { text: sentence(why) },
    help: { text: sentence(fix) },
    defaultConfiguration: { level: severity },
    properties: { tags: ['security'] },
  };
}

function result(finding: Finding, workdir: string): object {
  const { rule, severity, message, fix, names, silenced } = finding;
  return {
    ruleId: rule,
    ruleIndex: IDS.indexOf(rule),
    level: severity,
    message: { text: `${sentence(message)} ${sentence(fix)}` },
    locations: [location(finding, workdir)],
    ...(names.length === 0 ? {} : { properties: { names } }),
    ...(silenced === undefined
      ? { suppressions: [] }
      : { suppressions: [{ kind: 'inSource', status: 'accepted', justification: silenced }] }),
  };
}

function location({ file, region }: Finding, workdir: string): object {
  if (file.startsWith('built-in ')) return { logicalLocations: [{ name: file }] };
  const physical = {
    artifactLocation: artifact(file, workdir),
    ...(region === undefined ? {} : { region: areaOf(region) }),
  };
  return { physicalLocation: physical };
}

const areaOf = ({ line, column, endLine, endColumn }: Region) => ({
  startLine: line,
  startColumn: column,
  endLine,
  endColumn,
});

/** Relative to the folder of the run where that is possible, since the checkout lies elsewhere for whoever reads the report. */
function artifact(file: string, workdir: string): object {
  const path = isAbsolute(file) ? relative(workdir, file) : file;
  if (path.startsWith('..')) return { uri: pathToFileURL(file).href };
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'SRCROOT' };
}

function notification(file: string, { message, hint, where }: CordonError, workdir: string): object {
  const text = [message, hint]
    .filter((part) => part !== undefined)
    .map(sentence)
    .join(' ');
  const [, line, column] = /:(\d+):(\d+)$/.exec(where ?? '') ?? [];
  const region = line === undefined ? {} : { region: { startLine: Number(line), startColumn: Number(column) } };
  return {
    level: 'error',
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: artifact(file, workdir), ...region } }],
  };
}
