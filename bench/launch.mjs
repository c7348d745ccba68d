// The launcher beside a plain exec, bubblewrap and Node, in a lived-in home with a repository as the working folder.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVERYDAY, guardedShim, inEmptyHome, livedInHome, PROJECT } from './home.mjs';
import { folder, interleaved } from './interleave.mjs';

const launcher = fileURLToPath(new URL('../dist/native/cordon-launch', import.meta.url));
const cordon = fileURLToPath(new URL('../dist/bin/cordon', import.meta.url));
const TRUE = '/usr/bin/true';
/** There outside, and not inside: the launcher says so before it starts the command. */
const HIDDEN = '../Documents/letter.txt';
/** No path, so that nothing is looked up. `true` loads its locale as soon as it has one argument: what is compared has one, too. */
const OPTION = '--no-path';
const NAMESPACES = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL', '--die-with-parent'];
/** The machine as it is, with processes of its own: no home, no credential and no socket is kept from the command. */
const BARE = ['/usr/bin/bwrap', '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...NAMESPACES, TRUE];

function filterPlan() {
  const lines = ['name filter', 'allow PATH', 'allow HOME', `command ${TRUE}`, 'arg true', 'isolation filter'];
  const path = join(folder, 'filter');
  writeFileSync(path, `${[`#!${launcher}`, 'cordon-plan 2', ...lines, 'end'].join('\n')}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** As often as it takes until the plan is kept: what a first start writes down is not compared with. */
function keepPlan() {
  for (let i = 0; i < 3; i++)
    for (const more of [[], [OPTION], [HIDDEN]])
      execFileSync(cordon, ['run', '--', TRUE, ...more], { cwd: PROJECT, env: EVERYDAY, stdio: 'ignore' });
}

/** A state folder in which no plan is kept, since others could write to where they lie: every start is the first one here. */
function neverKept() {
  const state = join(folder, 'state');
  mkdirSync(join(state, 'cordon', 'plans'), { recursive: true, mode: 0o700 });
  chmodSync(join(state, 'cordon', 'plans'), 0o770);
  return [`XDG_STATE_HOME=${state}`, cordon, 'run', '--', TRUE];
}

const here = (...words) => ({ in: PROJECT, words });

export function rows({ smoke }) {
  livedInHome({ smoke });
  const rounds = smoke ? 20 : 500;
  const files = smoke ? '10⁴' : '10⁵';
  const guarded = guardedShim('true');
  keepPlan();
  const quick = interleaved(
    {
      exec: here(TRUE),
      filter: here(filterPlan()),
      'bare bubblewrap': here(...BARE),
      guarded: here(guarded.shim),
      'guarded in an empty home': inEmptyHome(guarded),
      'cordon run, second start': here(cordon, 'run', '--', TRUE),
      'cordon run, with an option': here(cordon, 'run', '--', TRUE, OPTION),
      'cordon run, with a line before the start': here(cordon, 'run', '--', TRUE, HIDDEN),
    },
    rounds,
    EVERYDAY,
  );
  const slow = interleaved(
    {
      'node -e 0': here(process.execPath, '-e', '0'),
      guarded: here(guarded.shim),
      first: here(...neverKept()),
    },
    smoke ? 5 : 60,
    EVERYDAY,
  );
  const ratio = (name, protection, value, goal) => ({ name, protection, value, unit: 'x', goal });
  return [
    ratio('launcher before a plain exec / that exec', 'filter', quick.filter / quick.exec, '<= 1.3'),
    ratio('tool shim with barrier / bare bubblewrap', 'guarded', quick.guarded / quick['bare bubblewrap'], '<= 1'),
    ratio(
      `launch with ${files} files in the dot folders of the home / an empty home`,
      'guarded',
      quick.guarded / quick['guarded in an empty home'],
      '<= 1.1',
    ),
    ratio(
      'cordon run, second start / tool shim',
      'guarded',
      quick['cordon run, second start'] / quick.guarded,
      '<= 1.5',
    ),
    {
      name: 'line before the start about an argument that is not shown',
      protection: 'guarded',
      value: Math.max(quick['cordon run, with a line before the start'] - quick['cordon run, with an option'], 0),
      unit: 'ms',
      goal: '<= 0.2',
    },
    ratio(
      'cordon run, first start / (node -e 0 + tool shim)',
      'guarded',
      slow.first / (slow['node -e 0'] + slow.guarded),
      '<= 1.5',
    ),
    ...Object.entries({
      ...quick,
      'node -e 0': slow['node -e 0'],
      'cordon run, first start': slow.first,
    }).map(([name, value]) => ({
      name: `  median ${name}`,
      value,
      unit: 'ms',
    })),
  ];
}
