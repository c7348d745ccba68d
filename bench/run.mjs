// Ratios, measured interleaved in one run on one machine: npm run bench [-- --smoke] [--only SUITE] [--to FILE]
// A whole run is kept in bench/latest.json; a smoke run or a single suite is only shown, unless a file is named.
import { copyFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import '../scripts/ts.mjs';
import { holds, machine } from './report.mjs';
import { asOrdinaryUser, scratch } from './user.mjs';

const { smoke, only, to } = parseArgs({
  options: { smoke: { type: 'boolean', default: false }, only: { type: 'string' }, to: { type: 'string' } },
}).values;
const suites = [
  './launch.mjs',
  './decide.mjs',
  './shim.mjs',
  './work/rows.mjs',
  './guard/rows.mjs',
  './redact/rows.mjs',
  './broker/rows.mjs',
  './broker/beside.mjs',
  './network/rows.mjs',
  './containers/rows.mjs',
  './sessions/rows.mjs',
  './mcp/rows.mjs',
  './peers/rows.mjs',
].filter((suite) => only === undefined || suite.includes(only));

async function measure() {
  const rows = [];
  for (const suite of suites) {
    process.stderr.write(`${suite}…\n`);
    const { rows: measured } = await import(new URL(suite, import.meta.url));
    rows.push(...(await measured({ smoke })).map((row) => ({ ...row, holds: holds(row) })));
  }
  return rows;
}

const titleOf = ({ name, protection }) => (protection === undefined ? name : `${name} (${protection})`);

function show(rows) {
  const width = Math.max(...rows.map((row) => titleOf(row).length));
  const mark = { true: 'ok', false: 'MISSED', undefined: '' };
  for (const row of rows) {
    const { value, unit, goal = '', holds: met, note } = row;
    const title = titleOf(row).padEnd(width);
    if (value === null) {
      console.log(`${title} ${note}`);
      continue;
    }
    const number = value.toFixed(value < 100 ? 2 : 0).padStart(10);
    console.log(`${title} ${number} ${unit.padEnd(4)} ${goal.padEnd(9)} ${mark[String(met)]}`.trimEnd());
  }
}

/** As the user that measures. */
async function run() {
  const rows = await measure();
  show(rows);
  const latest = { date: new Date().toISOString().slice(0, 10), smoke, machine: machine(), rows };
  writeFileSync(to, `${JSON.stringify(latest, null, 2)}\n`);
}

/** As whoever asked for it, who also owns the file in which it is kept. */
function start() {
  const whole = !smoke && only === undefined;
  const file = to ?? (whole ? fileURLToPath(new URL('latest.json', import.meta.url)) : undefined);
  const args = [...(smoke ? ['--smoke'] : []), ...(only === undefined ? [] : ['--only', only])];
  return asOrdinaryUser(fileURLToPath(import.meta.url), args, (result) => {
    if (file !== undefined) copyFileSync(result, resolve(file));
  });
}

if (scratch === undefined) process.exitCode = start();
else await run();
