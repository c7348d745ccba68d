// The launcher beside the very same bubblewrap call, a plain exec, Node and Python.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder, interleaved } from './interleave.mjs';

const launcher = fileURLToPath(new URL('../dist/native/cordon-launch', import.meta.url));
const cordon = fileURLToPath(new URL('../dist/bin/cordon', import.meta.url));
const node = process.execPath;
const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync) ?? pythonOnPath();
const TRUE = '/bin/true';
const NAMESPACES = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--cap-drop', 'ALL'];
const FLAGS = [...NAMESPACES, '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
const BWRAP = '/usr/bin/bwrap';

/** pyenv and the like put a slow script in front; what is compared is Python itself. */
function pythonOnPath() {
  return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}

function executable(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

function shim(name, lines) {
  const head = [
    `#!${launcher}`,
    'cordon-plan 2',
    `name ${name}`,
    'allow PATH',
    'allow HOME',
    `command ${TRUE}`,
    'arg true',
    'append-args',
  ];
  return executable(name, `${[...head, ...lines, 'end'].join('\n')}\n`);
}

/** As in everyday use: the user's own home, where a launch leaves nothing behind. */
const EVERYDAY = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: userInfo().homedir };

export function rows({ smoke }) {
  const rounds = smoke ? 30 : 500;
  const barrier = shim('barrier', ['isolation barrier', `bwrap ${BWRAP}`, 'root writable', 'proc', 'dev']);
  const filter = shim('filter', ['isolation filter']);
  const pythonShim = executable(
    'python-shim',
    `#!${python}\nimport os\nenv = {k: v for k, v in os.environ.items() if k in ('PATH', 'HOME')}\nos.execve('${BWRAP}', ['bwrap', ${FLAGS.map((flag) => `'${flag}'`).join(', ')}, '--', '${TRUE}'], env)\n`,
  );
  const shellShim = executable(
    'shell-shim',
    `#!/bin/sh\nexec /usr/bin/env -i PATH="$PATH" HOME="$HOME" ${BWRAP} ${FLAGS.join(' ')} -- ${TRUE}\n`,
  );
  const quick = interleaved(
    {
      exec: [TRUE],
      filter: [filter],
      bwrap: [BWRAP, ...FLAGS, '--', TRUE],
      barrier: [barrier],
      python: [pythonShim],
      shell: [shellShim],
    },
    rounds,
  );
  const slow = interleaved(
    { node: [node, '-e', '0'], plain: [BWRAP, ...FLAGS, '--', TRUE], run: [cordon, 'run', '--', TRUE] },
    smoke ? 5 : 60,
    EVERYDAY,
  );
  return [
    {
      name: 'launcher before bubblewrap / bubblewrap alone',
      value: quick.barrier / quick.bwrap,
      unit: 'x',
      goal: '<= 1.15',
    },
    { name: 'launcher before a plain exec / that exec', value: quick.filter / quick.exec, unit: 'x', goal: '<= 1.3' },
    {
      name: 'cordon run with the barrier / (node -e 0 + bubblewrap with no masks at all)',
      value: slow.run / (slow.node + slow.plain),
      unit: 'x',
      goal: '<= 1.6',
    },
    {
      name: 'added by Python (os.execve of bubblewrap) / added by the launcher',
      value: (quick.python - quick.bwrap) / Math.max(quick.barrier - quick.bwrap, 0.01),
      unit: 'x',
    },
    { name: 'Python shim / launcher shim', value: quick.python / quick.barrier, unit: 'x', goal: '>= 3' },
    { name: 'shell script shim / launcher shim', value: quick.shell / quick.barrier, unit: 'x' },
    ...Object.entries({
      ...quick,
      run: slow.run,
      'bubblewrap with no masks': slow.plain,
      'node -e 0': slow.node,
    }).map(([name, value]) => ({
      name: `  median ${name}`,
      value,
      unit: 'ms',
    })),
  ];
}
