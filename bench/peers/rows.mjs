// Launch times side by side: in every round each is started once, in an order of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HOME, livedInHome } from '../home.mjs';
import { commands } from './commands.mjs';
import { openMcp } from './mcp-call.mjs';

/** Against which ours the others are set. */
const OURS = 'Cordon: tool shim, guarded';

/** What a start leaves to be done, a dying proxy or the launcher for the next call, falls on nobody. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 30));

/** The same orders in every run; who comes after a slow one changes with the round. */
function shuffled(list, round) {
  let state = round + 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return list
    .map((item) => [next(), item])
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

async function measureAll(entries, rounds) {
  const running = entries.filter(({ measure }) => measure !== undefined);
  const times = new Map(running.map(({ label }) => [label, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { label, measure } of shuffled(running, round)) {
      await quiet();
      times.get(label).push(await measure());
    }
  }
  return times;
}

function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.floor((sorted.length - 1) * part)];
  return { value: sorted[Math.floor(sorted.length / 2)], low: at(0.25), high: at(0.75) };
}

function rowsOf(entries, times) {
  const median = (label) => spread(times.get(label)).value;
  const of = ({ label, kind, protection, version, note }) => {
    const row = { name: `launch: ${label}`, unit: 'ms', group: 'launch', label, kind, protection, version };
    return times.has(label) ? { ...row, ...spread(times.get(label)) } : { ...row, value: null, note };
  };
  const others = entries.filter(({ kind, label }) => ['way', 'peer'].includes(kind) && times.has(label));
  return [
    ...entries.map(of),
    ...others.map(({ label }) => ({
      name: `launch: ${label} / tool shim`,
      protection: 'guarded',
      value: median(label) / median(OURS),
      unit: 'x',
    })),
  ];
}

/** In an empty folder: some look through the one they are started in. */
export async function rows({ smoke }) {
  livedInHome({ smoke });
  const before = process.cwd();
  const workspace = mkdtempSync(join(HOME, 'empty-'));
  process.chdir(workspace);
  const mcp = await openMcp('true');
  try {
    const entries = commands(workspace, mcp);
    return rowsOf(entries, await measureAll(entries, smoke ? 2 : 100));
  } finally {
    await mcp.close();
    process.chdir(before);
    rmSync(workspace, { recursive: true });
  }
}
