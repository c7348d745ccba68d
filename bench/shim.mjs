// What a tool's shim costs, beside the very same bubblewrap call, a plain exec, and shims made in other ways.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder, interleaved } from './interleave.mjs';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const TRUE = '/usr/bin/true';
const BWRAP = '/usr/bin/bwrap';
const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync) ?? 'python3';
const PLAIN = { PATH: '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8', TERM: 'xterm' };
const WITHOUT_BARRIER = { CORDON_DISABLE_BWRAP: '1', CORDON_POLICY_QUIET: '1' };

const PATTERNS = Array.from({ length: 100 }, (_, i) => [`VENDOR_${i}_*`, `*_PART_${i}_?[A-F]`]).flat();
const VARIABLES = Object.fromEntries(
  Array.from({ length: 500 }, (_, i) => [`SETTING_${i}_OF_SOME_PROGRAM`, `value number ${i}`]),
);

/** The shim of `true` in a home of its own, made with the ordinary commands. */
function shim(name, ...commands) {
  const home = join(folder, name);
  for (const command of [['base', 'os-common'], ...commands]) {
    const env = { ...PLAIN, CORDON_HOME: home };
    execFileSync(process.execPath, [cli, 'tool', 'config', 'true', 'env', ...command], { env, stdio: 'ignore' });
  }
  return join(home, 'bin', 'true');
}

/** What the shim tells bubblewrap; its own init stands in for ours. */
function flagsOf(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const fields = lines.filter((line) => line.startsWith('sandbox ')).flatMap((line) => line.split(' ').slice(1));
  return fields.filter((field) => field !== '--as-pid-1').map((field) => (field === '\\c' ? process.cwd() : field));
}

function executable(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

const PYTHON_WAY = (flags) => `#!${PYTHON}
import fnmatch, os, sys
BASE = "HOME PATH XDG_* NO_COLOR FORCE_COLOR TERM COLORTERM LANG LC_* USER LOGNAME TMPDIR SHELL TZ".split()
env = {k: v for k, v in os.environ.items() if any(fnmatch.fnmatchcase(k, p) for p in BASE)}
os.execve("${BWRAP}", ["bwrap"] + ${JSON.stringify(flags)} + ["--", "${TRUE}"] + sys.argv[1:], env)
`;

const SHELL_WAY = (flags) => `#!/bin/sh
exec /usr/bin/env -i HOME="$HOME" PATH="$PATH" LANG="$LANG" TERM="$TERM" ${BWRAP} ${flags.join(' ')} -- ${TRUE} "$@"
`;

const NODE_WAY = (flags) => `#!${process.execPath}
const { spawnSync } = require('node:child_process');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(HOME|PATH|LANG|TERM|XDG_.*)$/.test(name)));
const args = [...${JSON.stringify(flags)}, '--', '${TRUE}', ...process.argv.slice(2)];
process.exitCode = spawnSync('${BWRAP}', args, { env, stdio: 'inherit' }).status;
`;

/** Sandboxes of others that are installed, with their defaults. */
function peers() {
  const find = (name) =>
    (process.env.PATH ?? '')
      .split(':')
      .map((one) => join(one, name))
      .find(existsSync);
  const commands = { srt: ['srt', TRUE], codex: ['codex', 'sandbox', 'linux', TRUE] };
  const installed = Object.entries(commands).filter(([, [program]]) => find(program) !== undefined);
  return Object.fromEntries(installed.map(([name, [program, ...args]]) => [name, [find(program), ...args]]));
}

function otherWays(flags) {
  mkdirSync(join(folder, 'ways'), { recursive: true });
  return {
    python: [executable('ways/python', PYTHON_WAY(flags))],
    shell: [executable('ways/shell', SHELL_WAY(flags))],
    node: [executable('ways/node.cjs', NODE_WAY(flags))],
    ...peers(),
  };
}

const ratio = (name, value, goal) => ({ name, value, unit: 'x', ...(goal === undefined ? {} : { goal }) });

export function rows({ smoke }) {
  const rounds = smoke ? 30 : 500;
  const small = shim('small');
  const large = shim('large', ['deny', ...PATTERNS]);
  const flags = flagsOf(small);
  const barrier = interleaved({ shim: [small], bwrap: [BWRAP, ...flags, '--', TRUE] }, rounds, PLAIN);
  const filter = interleaved({ shim: [small], exec: [TRUE] }, rounds, { ...PLAIN, ...WITHOUT_BARRIER });
  const manyBarrier = interleaved({ large: [large], small: [small] }, rounds, { ...PLAIN, ...VARIABLES });
  const manyFilter = interleaved({ large: [large], small: [small], exec: [TRUE] }, rounds, {
    ...PLAIN,
    ...VARIABLES,
    ...WITHOUT_BARRIER,
  });
  const ways = interleaved({ shim: [small], ...otherWays(flags) }, smoke ? 10 : 500, PLAIN);
  const { shim: own, ...others } = ways;
  const goals = { python: '>= 4' };
  return [
    ratio('tool shim with barrier / the same bubblewrap call', barrier.shim / barrier.bwrap, '<= 1.15'),
    ratio('tool shim with filter / plain exec', filter.shim / filter.exec, '<= 1.3'),
    ratio('200 patterns on 500 variables / none, barrier', manyBarrier.large / manyBarrier.small, '<= 1.1'),
    ratio('200 patterns on 500 variables / none, filter', manyFilter.large / manyFilter.small, '<= 1.1'),
    ...Object.entries(others).map(([name, value]) => ratio(`${name} shim / tool shim`, value / own, goals[name])),
    ...Object.entries({ 'tool shim': barrier.shim, 'the same bubblewrap call': barrier.bwrap, ...others }).map(
      ([name, value]) => ({ name: `  median ${name}`, value, unit: 'ms' }),
    ),
  ];
}
