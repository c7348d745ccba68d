import type { Finding, Report } from '../finding.ts';
import type { Severity } from '../rules.ts';

export const countOf = (findings: readonly Finding[], severity: Severity): number =>
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
