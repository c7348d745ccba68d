// Lists what Cordon is compared with, what is installed here, and what to type before a command: node scripts/peers.mjs
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf, lineOf, refusal, versionOf, wordsOf } from '../bench/peers/prefix.mjs';
import { PEERS } from '../bench/peers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'cordon-peers-'));
const workspace = join(folder, 'workspace');
mkdirSync(workspace);
process.chdir(workspace);

function state(peer, variant) {
  const words = wordsOf(peer, variant, { home: folder, workspace });
  const reason = refusal(words, { PATH: process.env.PATH, HOME: folder, ...environmentOf(peer) });
  return reason === undefined ? 'works' : `does not work here: ${reason}`;
}

for (const peer of PEERS.filter(({ program }) => program !== undefined)) {
  const version = versionOf(peer);
  console.log(`\n${peer.title} ${version ?? 'is not installed'} (${peer.needs})\n  ${peer.note}`);
  if (version === undefined) continue;
  for (const variant of ['default', 'configured'])
    console.log(`  ${variant}, ${state(peer, variant)}:\n    ${lineOf(peer, variant)}`);
}
rmSync(folder, { recursive: true });
