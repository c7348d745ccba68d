import { showText } from '../../show-text.ts';
import { groupsOf, type Report } from '../report.ts';
import { html, type Markup } from './markup.ts';
import { className, STATUSES } from './status.ts';

/** Shown by the script, which makes them work. */
export function filters(report: Report): Markup {
  const groups = groupsOf(report).map((group) => html`<option value="${group}">${group}</option>`);
  const statuses = STATUSES.map((status) => html`<option value="${className(status)}">${status}</option>`);
  const launchers = report.columns.map(({ title }, i) => html`<option value="${i}">${showText(title)}</option>`);
  return html`<form id="filters" role="search" aria-label="Probes" hidden>
<label class="wide">Search<input type="search" id="words" placeholder="ssh, /proc, token …" autocomplete="off"></label>
<label>Group<select id="group"><option value="">all groups</option>${groups}</select></label>
<label>Result<select id="status"><option value="">all results</option>${statuses}</select></label>
<label>Launcher<select id="launcher"><option value="">all launchers</option>${launchers}</select></label>
<button type="reset">Show all</button>
<output id="count" aria-live="polite"></output>
</form>`;
}
