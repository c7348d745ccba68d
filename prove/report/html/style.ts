const COLOURS = `
:root {
  --page: #f6f7f9; --sheet: #fff; --ink: #1b1f24; --soft: #59636e; --line: #d8dee4; --band: #eef1f4; --focus: #0b63ce;
  --leaked: #b3131f; --leaked-sheet: #fdeaea; --open: #7d5200; --open-sheet: #fdf3d7; --blocked: #116329; --blocked-sheet: #e2f5e7;
  --absent: #636c76; --absent-sheet: #edf0f3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --sheet: #161b22; --ink: #e6eaef; --soft: #9aa5b1; --line: #2d343d; --band: #1c222b; --focus: #6cb0ff;
    --leaked: #ff9a94; --leaked-sheet: #4a1a1c; --open: #f0c95c; --open-sheet: #40330f; --blocked: #7ddb95; --blocked-sheet: #12381f;
    --absent: #a0aab5; --absent-sheet: #262d36;
  }
}
`;

const FRAME = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 78rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: anywhere; }
code { font: .875em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; }
.verdict { margin: .5rem 0 .25rem; font-size: 1.1rem; font-weight: 600; }
.verdict.green { color: var(--blocked); } .verdict.red { color: var(--leaked); } .verdict.yellow { color: var(--open); }
.facts, footer { color: var(--soft); font-size: .875rem; }
.facts { margin: 0; }
a { color: inherit; } a:hover { color: var(--focus); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin-top: 1.5rem; max-width: 60rem; }
`;

const CARDS = `
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
.card { padding: .875rem 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; min-width: 0; }
.card.cordon { border-color: var(--ink); }
.card h2 { margin: 0; font-size: 1rem; line-height: 1.35; }
.card .facts { min-height: 1.4em; }
.card dl { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; font-size: .875rem; }
.card dl div { display: flex; flex-direction: row-reverse; gap: .3rem; }
.card dd { margin: 0; font-weight: 700; } .card dt { color: var(--soft); }
.card dl .leaked dd { color: var(--leaked); } .card dl .open dd { color: var(--open); } .card dl .blocked dd { color: var(--blocked); }
.bar { display: block; width: 100%; height: 8px; margin: .5rem 0; border-radius: 4px; background: var(--absent-sheet); }
.bar .leaked { fill: var(--leaked); } .bar .open { fill: var(--open); } .bar .blocked { fill: var(--blocked); } .bar .not-applicable { fill: var(--line); }
#filters { display: grid; grid-template-columns: minmax(12rem, 1fr) repeat(3, minmax(7rem, 12rem)) auto auto; gap: .75rem; align-items: end; margin: 1.25rem 0 .75rem; }
#filters label { display: grid; gap: .2rem; font-size: .8125rem; color: var(--soft); min-width: 0; }
input, select, button { width: 100%; min-height: 2.5rem; padding: .3rem .6rem; font: inherit; font-size: .9375rem; color: var(--ink);
  background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
button { width: auto; cursor: pointer; } button:hover { background: var(--band); }
#count { align-self: center; padding-top: 1.2rem; font-size: .875rem; color: var(--soft); white-space: nowrap; }
@media (max-width: 60rem) { #filters { grid-template-columns: repeat(3, minmax(0, 1fr)); } #filters .wide { grid-column: 1 / -1; } #count { padding: 0; } }
`;

const TABLE = `
.scroll { overflow-x: auto; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: separate; border-spacing: 0; }
th, td { padding: .5rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody:last-child tr:last-child > * { border-bottom: 0; }
thead th { vertical-align: bottom; font-size: .875rem; background: var(--sheet); max-width: 12rem; }
thead code { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
th[scope=row], th[scope=rowgroup], thead th:first-child { position: sticky; left: 0; z-index: 1; min-width: 20rem; }
th[scope=row] { background: var(--sheet); font-weight: 400; }
.group > * { background: var(--band); } .group .name { font-weight: 700; }
.group .about { margin-left: .35rem; font-weight: 400; font-size: .875rem; color: var(--soft); }
.ratio { font-size: .875rem; color: var(--soft); white-space: nowrap; }
.label { display: none; }
.badge { display: inline-block; padding: .05rem .55rem; border-radius: 99px; font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.badge abbr { text-decoration: none; }
.badge.leaked { color: var(--leaked); background: var(--leaked-sheet); } .badge.open { color: var(--open); background: var(--open-sheet); }
.badge.blocked { color: var(--blocked); background: var(--blocked-sheet); } .badge.not-applicable { color: var(--absent); background: var(--absent-sheet); font-weight: 400; }
summary { cursor: pointer; list-style: none; display: grid; grid-template-columns: 1rem 1fr; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; color: var(--soft); } details[open] summary::before { content: "▾"; }
summary:hover .title { text-decoration: underline; }
.id { grid-column: 2; color: var(--soft); }
details dl { margin: .5rem 0 .25rem 1rem; font-size: .875rem; }
details dl div { display: grid; grid-template-columns: 6rem 1fr; gap: .5rem; padding: .15rem 0; }
details dt { color: var(--soft); } details dd { margin: 0; }
`;

const PHONE = `
@media (max-width: 44rem) {
  body { padding: 1rem .75rem 2rem; }
  #filters { grid-template-columns: 1fr 1fr; }
  .scroll { overflow: visible; background: none; border: 0; }
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; }
  th[scope=row], th[scope=rowgroup] { position: static; min-width: 0; padding: 0; border: 0; background: none; }
  tr.probe { margin: .5rem 0; padding: .75rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; }
  tr.group { margin-top: 1.25rem; padding: .25rem; } tr.group > * { background: none; } tr.group td { display: none; }
  .group .about { display: block; margin: 0; }
  tr.probe td { display: flex; align-items: flex-start; justify-content: space-between; gap: 1rem; padding: .25rem 0 0; border: 0; }
  tr.probe td:first-of-type { margin-top: .5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
  .label { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; font: .8125rem/1.5 ui-monospace, "Liberation Mono", monospace; color: var(--soft); min-width: 0; }
  details dl { margin-left: 0; } details dl div { grid-template-columns: 1fr; gap: 0; padding: .25rem 0; }
}
`;

const PAPER = `
@media print {
  :root { --page: #fff; --sheet: #fff; --ink: #000; --soft: #444; --line: #bbb; --band: #eee; --leaked: #900; --open: #640; --blocked: #050; --absent: #444;
    --leaked-sheet: #fff; --open-sheet: #fff; --blocked-sheet: #fff; --absent-sheet: #fff; }
  @page { margin: 12mm; }
  body { max-width: none; padding: 0; font-size: 9pt; }
  #filters, summary::before { display: none; }
  summary, .id { display: block; }
  .scroll { overflow: visible; border: 0; }
  thead { display: table-header-group; } tr, .card { break-inside: avoid; } tr.group { break-after: avoid; }
  th, td { padding: .25rem .35rem; }
  th[scope=row], th[scope=rowgroup], thead th:first-child { position: static; min-width: 15rem; }
  thead code, .badge, .ratio { font-size: 7pt; } .ratio { white-space: normal; } .badge { padding: 0; }
  .group .about, details dl { font-size: 8pt; } details dl { margin-left: 0; } details dl div { grid-template-columns: 4.5rem 1fr; }
  a { text-decoration: none; }
}
`;

/** Light and dark by what the reader's system prefers; cards instead of a table where it is narrow. */
export const STYLE = [COLOURS, FRAME, CARDS, TABLE, PHONE, PAPER].join('');
