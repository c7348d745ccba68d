import type { Status } from '../../cell.ts';
import { showText } from '../../show-text.ts';
import { type Column, type Counts, countsOf, type Report } from '../report.ts';
import { html, type Markup } from './markup.ts';
import { className, STATUSES } from './status.ts';

/** What each launcher comes to. */
export function cards(report: Report): Markup {
  const each = report.columns.map((column, i) => card(column, countsOf(report, i)));
  return html`<section class="cards" aria-label="Launchers">${each}</section>`;
}

function card({ title, kind, version, flags }: Column, counts: Counts): Markup {
  const more = [version ?? '', flags ?? '', kind === 'nothing' ? 'the control' : ''].filter((text) => text !== '');
  return html`<article class="card ${kind}">
<h2><code>${showText(title)}</code></h2>
<p class="facts">${showText(more.join(' · '))}</p>
${bar(counts)}
<dl>${STATUSES.filter((status) => counts[status] > 0).map((status) => count(status, counts))}</dl>
</article>`;
}

const count = (status: Status, counts: Counts) =>
  html`<div class="${className(status)}"><dt>${status}</dt><dd>${counts[status]}</dd></div>`;

/** Attributes of a drawing are no style, so the page's own rules allow them. */
function bar(counts: Counts): Markup {
  const total = STATUSES.reduce((sum, status) => sum + counts[status], 0);
  let x = 0;
  const parts = STATUSES.map((status) => {
    const width = total === 0 ? 0 : (counts[status] / total) * 100;
    const part = html`<rect class="${className(status)}" x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="6"/>`;
    x += width;
    return part;
  });
  return html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}
