import type { Cell } from '../cell.ts';
import type { Probe } from '../probe.ts';
import { ownColumn, type Report, verdictOf } from './report.ts';

/** What a SARIF log says of one run of a tool. */
export interface ProofInSarif {
  readonly rules: readonly object[];
  readonly run: object;
}

/** SARIF 2.1.0: every probe is a rule, every leak of Cordon's own column a result. Other launchers are not what is being checked. */
export function proofInSarif(report: Report): ProofInSarif {
  const own = ownColumn(report);
  const found = report.rows.flatMap(({ probe, cells }, i) => resultsOf(probe, cells[own] as Cell, i));
  const invocation = {
    executionSuccessful: verdictOf(report) !== 'unproven',
    endTimeUtc: report.date,
    properties: { machine: report.machine, flags: report.columns[own]?.flags ?? '' },
  };
  return {
    rules: report.rows.map(({ probe }) => descriptor(probe)),
    run: { invocations: [invocation], results: found },
  };
}

/** `files/ssh` is shown as `FilesSsh`. */
const ruleName = (id: string) => id.replace(/(?:^|[-/])([a-z0-9])/g, (_, one: string) => one.toUpperCase());

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${ended(text.slice(1))}`;

const ended = (text: string) => `${text}${/[.!?…]$/.test(text) ? '' : '.'}`;

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
