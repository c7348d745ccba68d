// Writes the tables of docs/benchmark.md from the latest whole run: node scripts/benchmark-page.mjs [BENCHMARK.json [PAGE.md]]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markdownTable } from './lib/markdown-table.mjs';

const figure = (value) => value.toFixed(value < 100 ? 2 : 0);
const table = (head, lines) => markdownTable(head, lines, '---:');

function launchTable(rows) {
  const launches = rows.filter(({ group }) => group === 'launch');
  const medianOf = (wanted) => launches.find(({ label }) => label === wanted)?.value;
  const [nothing, own] = [medianOf('nothing'), medianOf('Cordon: tool shim, guarded')];
  const lines = launches.map(({ label, version, value, low, high, note }) => {
    const name = version === undefined ? label : `${label} (${version})`;
    if (value === null) return [name, note, '', '', ''];
    return [name, figure(value), `${figure(low)}–${figure(high)}`, figure(value - nothing), `${figure(value / own)} ×`];
  });
  return table(['`true` started under', 'median ms', 'middle half', 'added ms', 'of our guarded tool shim'], lines);
}

function goalTable(rows) {
  const lines = rows
    .filter(({ goal, value }) => goal !== undefined && value !== null)
    .map(({ name, protection = '', value, unit, goal, holds }) => [
      name.trim(),
      protection,
      `${figure(value)} ${unit}`.trim(),
      goal,
      holds ? 'yes' : '**no**',
    ]);
  return table(['goal', 'protection', 'measured', 'asked for', 'met'], lines);
}

const between = (page, name, content) =>
  page.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`), (_, start, end) => `${start}${content}\n${end}`);

/** The page with what stands between its marks made anew. */
export function fill(page, { date, machine, rows }) {
  const { cpu, cores, kernel, arch, node } = machine;
  const where = `${date}: ${cpu}, ${cores} cores, ${arch}, Linux ${/^\d+\.\d+/.exec(kernel)?.[0]}, Node ${node.slice(1)}.`;
  return [
    ['where', where],
    ['launch times', launchTable(rows)],
    ['goals', goalTable(rows)],
  ].reduce((text, [name, content]) => between(text, name, content), page);
}

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from = pathOf('bench/latest.json'), page = pathOf('docs/benchmark.md')] = process.argv.slice(2);
  writeFileSync(page, fill(readFileSync(page, 'utf8'), JSON.parse(readFileSync(from, 'utf8'))));
}
