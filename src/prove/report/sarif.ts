import type { Cell } from '../cell.ts';
import type { Probe } from '../probe.ts';
import { ownColumn, type Report, verdictOf } from './report.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** SARIF 2.1.0: every probe is a rule, every leak of Cordon's own column a result. Other launchers are not what is being checked. */
export function proofAsSarif(report: Report, version: string): object {
  const own = ownColumn(report);
  const found = report.rows.flatMap(({ probe, cells }, i) => resultsOf(probe, cells[own] as Cell, i));
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'cordon prove',
            semanticVersion: version,
            version,
            rules: report.rows.map(({ probe }) => descriptor(probe)),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: verdictOf(report) !== 'unproven',
            endTimeUtc: report.date,
            properties: { machine: report.machine, flags: report.columns[own]?.flags ?? '' },
          },
        ],
        results: found,
      },
    ],
  };
}

function descriptor({ id, title, gives, planted, tried, reference }: Probe): object {
  return {
    id,
    name: id.replace(/(?:^|[-/])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
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

const ended = (text: string) => `${text}${/[.!?…]$/.test(text) ? '' : '.'}`;
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${ended(text.slice(1))}`;
