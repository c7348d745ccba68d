import type { CordonError } from '../../host/errors.ts';
import type { Finding, Report } from '../finding.ts';
import { countOf } from './summary.ts';

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
