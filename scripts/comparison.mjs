// Runs every probe under Cordon and under each peer that is installed, and writes docs/comparison.md from that one run:
//   node scripts/comparison.mjs [RESULTS.json [PAGE.md]]
// With a file of results that is there already (the JSON of such a run), only the page is written.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOf, lineOf, versionOf } from '../bench/peers/prefix.mjs';
import { NAMED_PEERS, PEERS } from '../bench/peers.mjs';
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

/** With what a probe names for them. */
function namedPeers() {
  const starter = `${process.execPath} ${pathOf('bench/peers/named.mjs')}`;
  return NAMED_PEERS.filter((peer) => versionOf(peer) !== undefined).flatMap((peer) =>
    peer.variants.map((variant) => ({ peer, variant, line: `${settingsOf(peer)}${starter} ${peer.id} ${variant}` })),
  );
}

/** Some probes start them as another user, who has no folder for them. */
function settingsOf({ id }) {
  const settings = Object.entries(environmentOf(PEERS.find((peer) => peer.id === id) ?? {}));
  return settings.length === 0 ? '' : `env ${settings.map(([name, value]) => `${name}=${value}`).join(' ')} `;
}

/** A list that is there is enough: what a probe is about is added to it. */
const WITH_HOSTS = ['--net', 'nowhere.example.test'];
const ABOUT_HOSTS = [
  ...['network/named-sni', 'network/named-host-header', 'network/named-later-request', 'network/named-address'],
  ...['network/named-udp', 'network/named-question', 'broker'],
].flatMap((id) => ['--only', id]);

function prove(columns, more = []) {
  const args = ['prove', '--json', '--timeout', '3600', ...more, ...columns.flatMap(({ line }) => ['--under', line])];
  const { stdout, status } = spawnSync(pathOf('dist/bin/cordon'), args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0 && status !== 1) throw new Error(`cordon prove failed with ${status}`);
  return JSON.parse(stdout);
}

/** Only what the page needs of each column, so that it can be written again where the peers aren't installed. */
const described = ({ peer, variant, line }) => {
  const { id, title, note, needs } = peer;
  return { id, title, note, needs, variant, line, version: peer === OURS.peer ? undefined : versionOf(peer) };
};

function resultsOfRun() {
  const columns = [OURS, ...installedPeers()];
  const named = namedPeers();
  return {
    peers: columns.map(described),
    proof: prove(columns),
    named: { peers: named.map(described), proof: prove(named, [...WITH_HOSTS, ...ABOUT_HOSTS]) },
  };
}

const [file = join(tmpdir(), 'cordon-comparison.json'), page = pathOf('docs/comparison.md')] = process.argv.slice(2);
if (!existsSync(file)) writeFileSync(file, JSON.stringify(resultsOfRun()));
writeFileSync(page, pageOf(JSON.parse(readFileSync(file, 'utf8'))));
console.log(`${page} is written from ${file}`);
