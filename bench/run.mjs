// Ratios, measured interleaved in one run on one machine: npm run bench [-- --smoke]
import { writeFileSync } from 'node:fs';
import { arch, cpus, release } from 'node:os';
import { fileURLToPath } from 'node:url';
import '../scripts/ts.mjs';

const smoke = process.argv.includes('--smoke');
const suites = [
  './launch.mjs',
  './decide.mjs',
  './shim.mjs',
  './guard/rows.mjs',
  './redact/rows.mjs',
  './sessions/rows.mjs',
  './mcp/rows.mjs',
];

/** A row: { name, value, unit, goal }, where goal is `<= 1.15`, `>= 3` or absent. */
function holds({ value, goal }) {
  if (goal === undefined) return undefined;
  const [relation, bound] = goal.split(' ');
  return relation === '<=' ? value <= Number(bound) : value >= Number(bound);
}

async function measure() {
  const rows = [];
  for (const suite of suites) {
    process.stderr.write(`${suite}…\n`);
    const { rows: measured } = await import(new URL(suite, import.meta.url));
    rows.push(...(await measured({ smoke })).map((row) => ({ ...row, holds: holds(row) })));
  }
  return rows;
}

function show(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const mark = { true: 'ok', false: 'MISSED', undefined: '' };
  for (const { name, value, unit, goal = '', holds: met } of rows) {
    const number = value.toFixed(value < 100 ? 2 : 0).padStart(10);
    console.log(`${name.padEnd(width)} ${number} ${unit.padEnd(4)} ${goal.padEnd(9)} ${mark[String(met)]}`.trimEnd());
  }
}

const rows = await measure();
show(rows);
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  kernel: release(),
  arch: arch(),
  node: process.version,
};
const latest = { date: new Date().toISOString().slice(0, 10), smoke, machine, rows };
if (!smoke)
  writeFileSync(fileURLToPath(new URL('latest.json', import.meta.url)), `${JSON.stringify(latest, null, 2)}\n`);
