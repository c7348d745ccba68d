// Draws docs/images/launch-time.svg from the latest whole run: node scripts/launch-time-picture.mjs [BENCHMARK.json [PICTURE.svg]]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const WIDTH = 800;
const LABELS = 256;
const BARS = 450;
const ROW = 26;
const TOP = 64;

const STYLE = `
    text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: #1f2328; }
    .head { font-size: 16px; font-weight: 600; }
    .small { font-size: 11px; fill: #59636e; }
    .grid { stroke: #d1d9e0; }
    .spread { stroke: #1f2328; }
    .other { fill: #8c959f; }
    .own { fill: #0969da; }
    text.own { fill: #0550ae; font-weight: 600; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .small { fill: #9198a1; }
      .grid { stroke: #3d444d; }
      .spread { stroke: #f0f6fc; }
      .other { fill: #767f8a; }
      .own { fill: #4493f8; }
      text.own { fill: #79c0ff; }
    }`;

const PROTECTIONS =
  'Cordon: filter holds variables, env policy also processes; guarded: the home is a layer without credentials; session: a workspace.';

const escaped = (text) =>
  text.replace(/[&<>"']/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[char]);
const round = (number) => Number(number.toFixed(1));
const milliseconds = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const titleOf = ({ label, version }) => (version === undefined ? label : `${label} ${version}`);
/** Of a note only what stands before its details. */
const figureOf = ({ value, note = 'not measured' }) => (value === null ? note.split(':')[0] : milliseconds(value));

/** Each once, with its defaults, the quickest first; what could not be measured comes last. */
function chosen(rows) {
  const launches = rows.filter(({ group, label }) => group === 'launch' && !label.endsWith(', configured'));
  const order = ({ value }) => value ?? Number.POSITIVE_INFINITY;
  return launches.sort((a, b) => order(a) - order(b));
}

/** 1, 2 or 5 times a power of ten, for four to ten lines. */
function stepFor(longest) {
  const power = 10 ** Math.floor(Math.log10(longest / 4));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => longest / step <= 8);
}

const textAt = (x, y, content, attributes = '') =>
  `<text x="${round(x)}" y="${round(y)}"${attributes}>${escaped(content)}</text>`;
const lineFrom = (x1, y1, x2, y2, kind) =>
  `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;

function bar(row, index, scale) {
  const kind = row.kind === 'own' ? 'own' : 'other';
  const y = TOP + index * ROW;
  const label = textAt(LABELS - 10, y + 17, titleOf(row), ` text-anchor="end"${kind === 'own' ? ' class="own"' : ''}`);
  const number = (x) => textAt(LABELS + x + 8, y + 17, figureOf(row));
  if (row.value === null) return [label, number(0)];
  const length = Math.max(row.value * scale, 1);
  const rect = `<rect class="${kind}" x="${LABELS}" y="${y + 4}" width="${round(length)}" height="${ROW - 8}" rx="2"/>`;
  const whisker = lineFrom(LABELS + row.low * scale, y + ROW / 2, LABELS + row.high * scale, y + ROW / 2, 'spread');
  return [rect, whisker, label, number(Math.max(length, row.high * scale))];
}

function grid(longest, scale, bottom) {
  const step = stepFor(longest);
  const ticks = Array.from({ length: Math.floor(longest / step) + 1 }, (_, i) => i * step);
  return ticks.flatMap((tick) => [
    lineFrom(LABELS + tick * scale, TOP - 6, LABELS + tick * scale, bottom, 'grid'),
    textAt(LABELS + tick * scale, TOP - 10, `${tick}`, ' class="small" text-anchor="middle"'),
  ]);
}

/** The picture as text. The scale is linear and begins at zero, so that twice the length is twice the time. */
export function picture({ date, machine, rows }) {
  const shown = chosen(rows);
  const longest = Math.max(...shown.map(({ value, high }) => Math.max(value ?? 0, high ?? 0)));
  const scale = BARS / longest;
  const bottom = TOP + shown.length * ROW;
  const spoken = shown.map((row) => `${titleOf(row)}: ${figureOf(row)}`).join('; ');
  const place = `${date}, ${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel.match(/^\d+\.\d+/)?.[0]}, Node ${machine.node.replace('v', '')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 62}" width="${WIDTH}" height="${bottom + 62}" role="img" aria-labelledby="title desc">
  <title id="title">Time to start a command under each launcher</title>
  <desc id="desc">Medians, the quickest first. ${escaped(spoken)}.</desc>
  <style>${STYLE}
  </style>
  ${[
    textAt(16, 26, 'Time to start /usr/bin/true, in milliseconds (shorter is better)', ' class="head"'),
    ...grid(longest, scale, bottom),
    ...shown.flatMap((row, index) => bar(row, index, scale)),
    textAt(
      16,
      bottom + 20,
      'Medians; the thin line is the middle half of all starts. All in the same run, in turn, each with its defaults.',
      ' class="small"',
    ),
    textAt(16, bottom + 36, PROTECTIONS, ' class="small"'),
    textAt(16, bottom + 52, place, ' class="small"'),
  ].join('\n  ')}
</svg>
`;
}

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from = pathOf('bench/latest.json'), to = pathOf('docs/images/launch-time.svg')] = process.argv.slice(2);
  writeFileSync(to, picture(JSON.parse(readFileSync(from, 'utf8'))));
}
