import type { Cell } from '../../cell.ts';
import { GROUPS, type Group, groupOf } from '../../probe.ts';
import type { Row } from '../../run.ts';
import { showText } from '../../show-text.ts';
import { type Column, countsOf, groupsOf, type Report } from '../report.ts';
import { details } from './details.ts';
import { html, type Markup } from './markup.ts';
import { className, SIGNS } from './status.ts';

/** Probes by group × launchers. The roles say again what a table is: on a phone its parts are laid out as cards, and browsers then forget. */
export function matrix(report: Report): Markup {
  const heads = report.columns.map(
    ({ title }, i) =>
      html`<th role="columnheader" scope="col" data-column="${i}" title="${showText(title)}"><code>${showText(title)}</code></th>`,
  );
  return html`<div class="scroll" role="region" aria-label="The matrix" tabindex="0">
<table role="table">
<caption>What each probe got hold of, under each launcher</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Probe</th>${heads}</tr></thead>
${groupsOf(report).map((group) => groupRows(group, report))}
</table>
</div>
<p id="none" hidden>No probe matches.</p>`;
}

function groupRows(group: Group, report: Report): Markup {
  const rows = report.rows.filter(({ probe }) => groupOf(probe) === group);
  const held = report.columns.map((column, i) => groupCell(report, group, column, i));
  return html`<tbody role="rowgroup" data-group="${group}">
<tr role="row" class="group"><th role="rowheader" scope="rowgroup"><span class="name">${group}</span> <span class="about">${GROUPS[group]}</span></th>${held}</tr>
${rows.map((row) => probeRow(row, report))}
</tbody>`;
}

/** How many of the group got through. */
function groupCell(report: Report, group: Group, { title }: Column, column: number): Markup {
  const { leaked, open, blocked } = countsOf(report, column, group);
  const label = html`<span class="label" aria-hidden="true">${showText(title)}</span>`;
  return html`<td role="cell" data-column="${column}">${label}<span class="ratio">${leaked + open} of ${leaked + open + blocked} leak</span></td>`;
}

function probeRow(row: Row, report: Report): Markup {
  const cells = row.cells.map((cell, i) => statusCell(cell, report.columns[i] as Column, i));
  return html`<tr role="row" class="probe"><th role="rowheader" scope="row">${details(row, report)}</th>${cells}</tr>`;
}

function statusCell({ status }: Cell, { title }: Column, column: number): Markup {
  const name = className(status);
  const label = html`<span class="label" aria-hidden="true">${showText(title)}</span>`;
  const sign = html`<span aria-hidden="true">${SIGNS[status]}</span>`;
  const word = status === 'not applicable' ? html`<abbr title="not applicable">n/a</abbr>` : html`${status}`;
  return html`<td role="cell" data-column="${column}" data-status="${name}">${label}<span class="badge ${name}">${sign} ${word}</span></td>`;
}
