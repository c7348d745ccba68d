import type { Cell } from '../../cell.ts';
import type { Probe } from '../../probe.ts';
import type { Row } from '../../run.ts';
import { showText } from '../../show-text.ts';
import type { Report } from '../report.ts';
import { html, type Markup } from './markup.ts';

/** What a probe is, opened by its title. */
export function details({ probe, cells }: Row, { columns, commitments }: Report): Markup {
  const { held, why } = commitments[probe.promise];
  const reasons = cells.flatMap(({ reason, status }, i) => {
    const title = columns[i]?.title ?? '';
    return reason === undefined || isSaid(cells, i)
      ? []
      : [entry(html`Under <code>${showText(title)}</code>`, html`${status}: ${showText(reason)}`)];
  });
  return html`<details>
<summary><span class="title">${probe.title}</span><code class="id">${probe.id}</code></summary>
<dl>
${entry(html`Gives`, html`${probe.gives}`)}
${entry(html`Planted`, html`${probe.planted}`)}
${entry(html`Tried`, html`${probe.tried}`)}
${entry(html`Promised`, html`${held ? 'yes' : 'no'}: ${showText(why)}`)}
${reasons}
${entry(html`Reference`, reference(probe))}
</dl>
</details>`;
}

/** What can't be tried at all has one reason for all launchers. */
const isSaid = (cells: Row['cells'], at: number) => cells.indexOf(cells[at] as Cell) < at;

const entry = (term: Markup, text: Markup) => html`<div><dt>${term}</dt><dd>${text}</dd></div>`;

function reference({ reference: text }: Probe): Markup {
  return /^https?:\/\//.test(text)
    ? html`<a href="${text}" rel="noreferrer noopener">${text.replace(/^https?:\/\//, '')}</a>`
    : html`${text}`;
}
