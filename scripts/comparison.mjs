// Runs every probe under Cordon and under each peer that is installed, and writes docs/comparison.md from that one run:
//   node scripts/comparison.mjs [RESULTS.json [PAGE.md]]
// With a file of results that is there already (the JSON of such a run), only the page is written.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineOf, versionOf } from '../bench/peers/prefix.mjs';
import { PEERS } from '../bench/peers.mjs';
import { pageOf } from './lib/comparison-page.mjs';

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Both variants of every peer that is here; `nothing` is the control that each run has anyway. */
function installedPeers() {
  return PEERS.filter((peer) => peer.program !== undefined && versionOf(peer) !== undefined).flatMap((peer) =>
    ['default', 'configured'].map((variant) => ({ peer, variant, line: lineOf(peer, variant) })),
  );
}

/** Configured as the others are: no network, and of the home only the folder it works in. */
const OURS = {
  peer: {
    id: 'cordon',
    title: 'cordon run',
    program: 'cordon',
    note: 'Its defaults are the column beside nothing.',
    needs: 'Node 20, bubblewrap',
  },
  variant: 'configured',
  line: `${pathOf('dist/bin/cordon')} run --net off --fs workspace --`,
};

function prove(columns) {
  const args = ['prove', '--json', '--timeout', '3600', ...columns.flatMap(({ line }) => ['--under', line])];
  const { stdout, status } = spawnSync(pathOf('dist/bin/cordon'), args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0 && status !== 1) throw new Error(`cordon prove failed with ${status}`);
  return JSON.parse(stdout);
}

/** Only what the page needs of each column, so that it can be written again where the peers aren't installed. */
function resultsOfRun() {
  const columns = [OURS, ...installedPeers()];
  const described = columns.map(({ peer, variant, line }) => {
    const { id, title, note, needs } = peer;
    return { id, title, note, needs, variant, line, version: peer === OURS.peer ? undefined : versionOf(peer) };
  });
  return { peers: described, proof: prove(columns) };
}

const [file = join(tmpdir(), 'cordon-comparison.json'), page = pathOf('docs/comparison.md')] = process.argv.slice(2);
if (!existsSync(file)) writeFileSync(file, JSON.stringify(resultsOfRun()));
writeFileSync(page, pageOf(JSON.parse(readFileSync(file, 'utf8'))));
console.log(`${page} is written from ${file}`);
