import type { CordonError } from '../../host/errors.ts';
import type { Finding, Report } from '../finding.ts';
import type { Severity } from '../rules.ts';

const countOf = (findings: readonly Finding[], severity: Severity): number =>
  findings.filter((finding) => finding.severity === severity).length;

/** Notes inform: only errors and warnings fail a build. */
export const hasFailed = ({ findings }: Report): boolean => findings.some(({ severity }) => severity !== 'note');

/** `5 files: 1 error, 2 warnings, 1 note; 1 silenced; 1 not checked`. */
export function summaryOf({ files, findings, silenced, troubles }: Report): string {
  const counts = (['error', 'warning', 'note'] as const)
    .map((severity) => [countOf(findings, severity), severity] as const)
    .filter(([count]) => count > 0)
    .map(([count, severity]) => plural(count, severity));
  const parts = [
    `${plural(files.length, 'file')}: ${counts.length === 0 ? 'no findings' : counts.join(', ')}`,
    ...(silenced.length === 0 ? [] : [`${silenced.length} silenced with a reason`]),
    ...(troubles.length === 0 ? [] : [`${troubles.length} not checked`]),
  ];
  return parts.join('; ');
}

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The report as data; `version` changes when a field changes its meaning. */
export function reportAsJson({ files, findings, silenced, troubles, fixed }: Report): object {
  return {
    version: 1,
    files,
    findings: findings.map(findingAsJson),
    silenced: silenced.map(findingAsJson),
    ...(fixed === undefined ? {} : { fixed }),
    problems: troubles.flatMap(({ file, errors }) => errors.map((error) => problemAsJson(file, error))),
    summary: {
      files: files.length,
      errors: countOf(findings, 'error'),
      warnings: countOf(findings, 'warning'),
      notes: countOf(findings, 'note'),
      silenced: silenced.length,
      notChecked: troubles.length,
    },
  };
}

function findingAsJson({ rule, severity, file, region, message, names, why, fix, silenced }: Finding): object {
  const reason = silenced === undefined ? {} : { reason: silenced };
  return { rule, severity, file, ...region, message, names, why, fix, ...reason };
}

const problemAsJson = (file: string, { where, message, hint }: CordonError) => ({ file, where, message, hint });
