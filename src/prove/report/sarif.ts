import { ended, ruleName, sarifLog, sentence } from '../../host/sarif.ts';
import type { Cell } from '../cell.ts';
import type { Probe } from '../probe.ts';
import { ownColumn, type Report, verdictOf } from './report.ts';

/** SARIF 2.1.0: every probe is a rule, every leak of Cordon's own column a result. Other launchers are not what is being checked. */
export function proofAsSarif(report: Report, version: string): object {
  const own = ownColumn(report);
  const found = report.rows.flatMap(({ probe, cells }, i) => resultsOf(probe, cells[own] as Cell, i));
  const invocation = {
    executionSuccessful: verdictOf(report) !== 'unproven',
    endTimeUtc: report.date,
    properties: { machine: report.machine, flags: report.columns[own]?.flags ?? '' },
  };
  return sarifLog(
    { name: 'cordon prove', version, rules: report.rows.map(({ probe }) => descriptor(probe)) },
    { invocations: [invocation], results: found },
  );
}

function descriptor({ id, title, gives, planted, tried, reference }: Probe): object {
  return {
    id,
    name: ruleName(id),
    shortDescription: { text: sentence(title) },
    fullDescription: { text: `It would give ${ended(gives)}` },
    help: { text: `Planted: ${sentence(planted)} Tried: ${sentence(tried)} See ${reference}` },
    ...(/^https?:\/\//.test(reference) ? { helpUri: reference } : {}),
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['security'] },
  };
}

function resultsOf({ id, title, gives }: Probe, { status, reason }: Cell, ruleIndex: number): object[] {
  if (status !== 'leaked' && status !== 'open') return [];
  const why = reason === undefined ? '' : ` ${sentence(reason)}`;
  return [
    {
      ruleId: id,
      ruleIndex,
      level: status === 'leaked' ? 'error' : 'note',
      message: { text: `${sentence(title)} It gives ${ended(gives)}${why}` },
      locations: [{ logicalLocations: [{ name: id, kind: 'resource' }] }],
    },
  ];
}
