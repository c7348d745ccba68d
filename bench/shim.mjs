// What a tool's shim costs that has a policy for variables alone, beside bubblewrap, a plain exec, and shims made in other ways.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder, interleaved } from './interleave.mjs';
import { environmentOf, refusal, wordsOf } from './peers/prefix.mjs';
import { otherWays } from './peers/ways.mjs';
import { PEERS } from './peers.mjs';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
export const TRUE = '/usr/bin/true';
export const BWRAP = '/usr/bin/bwrap';
const PLAIN = { PATH: '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8', TERM: 'xterm' };
export const WITHOUT_BARRIER = { CORDON_DISABLE_BWRAP: '1', CORDON_POLICY_QUIET: '1' };

/** The barrier, with the machine as it is: what a shim has whose policy speaks of variables only. */
const ENV = 'env policy';

const PATTERNS = Array.from({ length: 100 }, (_, i) => [`VENDOR_${i}_*`, `*_PART_${i}_?[A-F]`]).flat();
const VARIABLES = Object.fromEntries(
  Array.from({ length: 500 }, (_, i) => [`SETTING_${i}_OF_SOME_PROGRAM`, `value number ${i}`]),
);

/** The shim of `true` in a home of its own, made with the ordinary commands. */
export function shim(name, ...commands) {
  const home = join(folder, name);
  for (const command of [['base', 'os-common'], ...commands]) {
    const env = { ...PLAIN, CORDON_HOME: home };
    execFileSync(process.execPath, [cli, 'tool', 'config', 'true', 'env', ...command], { env, stdio: 'ignore' });
  }
  return join(home, 'bin', 'true');
}

/** The least that bubblewrap can be told for what an env-only shim does: the machine as it is, with processes of its own. */
export const FLAGS = [
  ...['--unshare-user', '--unshare-pid', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--dev-bind', '/', '/', '--proc', '/proc'],
];

/** Sandboxes of others with their defaults; which are not installed, or do not start here, is said in place of a figure. */
function sandboxes() {
  const chosen = PEERS.filter(({ id }) => ['srt', 'codex'].includes(id));
  const places = { home: folder, workspace: process.cwd() };
  return chosen.map((peer) => {
    const words = wordsOf(peer, 'default', places);
    const note = words === undefined ? 'not installed' : refusal(words, { ...PLAIN, ...environmentOf(peer) });
    return { peer, command: [...(words ?? []), TRUE], note };
  });
}

/** Apart from the quick ones: what takes a hundred times as long leaves caches cold for what comes after it. */
function besideSandboxes(shim, rounds) {
  const all = sandboxes();
  const running = all.filter(({ note }) => note === undefined);
  const env = Object.assign({}, PLAIN, ...running.map(({ peer }) => environmentOf(peer)));
  const commands = Object.fromEntries(running.map(({ peer, command }) => [peer.id, command]));
  const { shim: own, ...times } = interleaved({ shim: [shim], ...commands }, rounds, env);
  return all.map(({ peer, note }) =>
    note === undefined
      ? { name: `${peer.title} / tool shim`, protection: ENV, value: times[peer.id] / own, unit: 'x' }
      : { name: `${peer.title} / tool shim`, protection: ENV, value: null, unit: 'x', note },
  );
}

const ratio = (name, protection, value, goal) => ({
  ...{ name, protection, value, unit: 'x' },
  ...(goal === undefined ? {} : { goal }),
});

export function rows({ smoke }) {
  const rounds = smoke ? 20 : 500;
  const small = shim('small');
  const large = shim('large', ['deny', ...PATTERNS]);
  const flags = FLAGS;
  const barrier = interleaved({ shim: [small], bwrap: [BWRAP, ...flags, '--', TRUE] }, rounds, PLAIN);
  const filter = interleaved({ shim: [small], exec: [TRUE] }, rounds, { ...PLAIN, ...WITHOUT_BARRIER });
  const manyBarrier = interleaved({ large: [large], small: [small] }, rounds, { ...PLAIN, ...VARIABLES });
  const manyFilter = interleaved({ large: [large], small: [small], exec: [TRUE] }, rounds, {
    ...PLAIN,
    ...VARIABLES,
    ...WITHOUT_BARRIER,
  });
  const commands = otherWays(join(folder, 'ways'), { bwrap: BWRAP, flags, target: TRUE });
  const ways = interleaved({ shim: [small], ...commands }, smoke ? 5 : 500, PLAIN);
  const { python } = commands;
  const without = interleaved({ shim: [small], python }, smoke ? 5 : 500, {
    ...PLAIN,
    ...WITHOUT_BARRIER,
    DISABLE_BWRAP: '1',
  });
  const { shim: own, ...others } = ways;
  const goals = { python: '>= 4' };
  return [
    ratio('tool shim / bubblewrap', ENV, barrier.shim / barrier.bwrap, '<= 1.15'),
    ratio('tool shim / plain exec', 'filter', filter.shim / filter.exec, '<= 1.3'),
    ratio('200 patterns on 500 variables / none', ENV, manyBarrier.large / manyBarrier.small, '<= 1.1'),
    ratio('200 patterns on 500 variables / none', 'filter', manyFilter.large / manyFilter.small, '<= 1.1'),
    ratio('python shim / tool shim', 'filter', without.python / without.shim, '>= 4'),
    ...Object.entries(others).map(([name, value]) => ratio(`${name} shim / tool shim`, ENV, value / own, goals[name])),
    ...besideSandboxes(small, smoke ? 2 : 500),
    ...Object.entries({ 'tool shim': barrier.shim, bubblewrap: barrier.bwrap, ...others }).map(([name, value]) => ({
      name: `  median ${name}`,
      value,
      unit: 'ms',
    })),
  ];
}
