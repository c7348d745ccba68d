import { groupOf, type Probe } from '../probe.ts';
import { type Column, type Counts, countsOf, groupsOf, type Report, verdictOf } from './report.ts';

/** The report as data; `version` changes when a field changes its meaning. */
export function proofAsJson(report: Report): object {
  const { date, machine, columns, commitments, rows, complete } = report;
  return {
    version: 1,
    date,
    verdict: verdictOf(report),
    complete,
    machine,
    launchers: columns.map(columnAsJson),
    promises: commitments,
    probes: rows.map(({ probe }) => probeAsJson(probe)),
    results: rows.flatMap(({ probe, cells }) =>
      cells.map(({ status, reason }, i) => ({
        probe: probe.id,
        launcher: columns[i]?.title,
        status,
        ...(reason === undefined ? {} : { reason }),
      })),
    ),
    counts: columns.map(({ title }, i) => ({
      launcher: title,
      ...countsAsJson(countsOf(report, i)),
      groups: Object.fromEntries(groupsOf(report).map((group) => [group, countsAsJson(countsOf(report, i, group))])),
    })),
  };
}

const columnAsJson = ({ kind, title, version, flags }: Column) => ({
  title,
  kind,
  version: version ?? null,
  flags: flags ?? null,
});

export function probeAsJson(probe: Probe) {
  const { id, title, gives, planted, tried, reference, promise } = probe;
  return { id, title, group: groupOf(probe), gives, planted, tried, reference, promise };
}

const countsAsJson = ({ leaked, open, blocked, 'not applicable': notApplicable }: Counts) => ({
  leaked,
  open,
  blocked,
  notApplicable,
});
