// Everything whose launch time is compared: `true` under nothing, under home-made wrappers, under the peers, and under Cordon.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVERYDAY, guardedShim, HOME } from '../home.mjs';
import { folder, interleaved } from '../interleave.mjs';
import { PEERS } from '../peers.mjs';
import { BWRAP, FLAGS, shim, TRUE, WITHOUT_BARRIER } from '../shim.mjs';
import { environmentOf, refusal, versionOf, wordsOf } from './prefix.mjs';
import { otherWays } from './ways.mjs';

const CORDON = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));
const PATH = '/usr/local/bin:/usr/bin:/bin';
const PLAIN = { PATH, HOME, LANG: 'C.UTF-8', TERM: 'xterm' };

/** The clock is in a small C program, which starts something once before, so that it is not itself what is cold. */
const starter = (command, env) => async () => interleaved({ before: [TRUE], it: command }, 1, env).it;

const simple = (label, kind, command, env = PLAIN) => ({ label, kind, measure: starter(command, env) });

function peerEntry(peer, variant, workspace) {
  const label = variant === 'default' ? peer.title : `${peer.title}, configured`;
  const entry = { label, kind: 'peer', version: versionOf(peer) };
  const words = wordsOf(peer, variant, { home: HOME, workspace });
  if (words === undefined) return { ...entry, note: 'not installed' };
  const env = { ...PLAIN, ...environmentOf(peer) };
  const reason = refusal(words, env);
  return reason === undefined
    ? { ...entry, measure: starter([...words, TRUE], env) }
    : { ...entry, note: `does not start here: ${reason}` };
}

const peerEntries = (workspace) =>
  PEERS.filter(({ id }) => !['nothing', 'env'].includes(id)).flatMap((peer) =>
    ['default', 'configured'].map((variant) => peerEntry(peer, variant, workspace)),
  );

function ownEntries(path, mcp) {
  const own = (label, protection, command, env) => ({ ...simple(label, 'own', command, env), protection });
  return [
    own('Cordon: tool shim, filter', 'filter', [path], { ...PLAIN, ...WITHOUT_BARRIER }),
    own('Cordon: tool shim, env policy', 'env policy', [path]),
    own('Cordon: tool shim, guarded', 'guarded', [guardedShim('true').shim], EVERYDAY),
    own('Cordon: cordon run, guarded', 'guarded', [CORDON, 'run', '--', TRUE], EVERYDAY),
    { label: 'Cordon: MCP Bash call, session', kind: 'own', protection: 'session', measure: () => mcp.call() },
  ];
}

export function commands(workspace, mcp) {
  const path = shim('launch-times');
  const ways = otherWays(join(folder, 'launch-ways'), { bwrap: BWRAP, flags: FLAGS, target: TRUE });
  const clean = PEERS.find(({ id }) => id === 'env');
  return [
    simple('nothing', 'plain', [TRUE]),
    simple('env -i', 'plain', [...wordsOf(clean, 'configured', { home: HOME, workspace }), TRUE]),
    simple('shell script, bubblewrap', 'way', ways.shell),
    simple('Python script, bubblewrap', 'way', ways.python),
    simple('Node script, bubblewrap', 'way', ways.node),
    ...peerEntries(workspace),
    ...ownEntries(path, mcp),
  ];
}
