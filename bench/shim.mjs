// What a shim costs. `node bench/shim.mjs [--smoke]` prints the table; `rows` gives it to others.
// Every comparison is paired: the commands take turns, so whatever else the machine does hits all of them alike.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TOOL = '/usr/bin/true';

// Starting processes from Node costs more than what is measured here.
const TIMER = `
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static char **read_env(const char *path) {
  static char *entries[4096], line[1 << 16];
  FILE *file = fopen(path, "r");
  size_t count = 0;
  while (file && count < 4095 && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\\n")] = 0;
    entries[count++] = strdup(line);
  }
  if (file) fclose(file);
  return memcpy(calloc(count + 1, sizeof *entries), entries, count * sizeof *entries);
}

/* timer RUNS ENV-FILE PROGRAM ARG... --- ENV-FILE PROGRAM ARG... : one line for each round, nanoseconds by command. */
int main(int argc, char **argv) {
  char **commands[16], **envs[16];
  int count = 0, runs = atoi(argv[1]);
  for (int i = 2; i < argc; i++) {
    envs[count] = read_env(argv[i]);
    commands[count++] = &argv[++i];
    while (i < argc && strcmp(argv[i], "---") != 0) i++;
    if (i < argc) argv[i] = NULL;
  }
  for (int run = 0; run < runs; run++) {
    for (int k = 0; k < count; k++) {
      int which = (k + run) % count, status;
      long long start = now();
      pid_t pid = vfork();
      if (pid == 0) {
        execve(commands[which][0], commands[which], envs[which]);
        _exit(99);
      }
      waitpid(pid, &status, 0);
      printf("%d %lld\\n", which, now() - start);
      if (status != 0) return 1;
    }
  }
  return 0;
}
`;

const PYTHON_WAY = (flags) => `#!/usr/bin/python3
import fnmatch, os, shutil, sys
BASE = "HOME PATH XDG_* NO_COLOR FORCE_COLOR TERM COLORTERM LANG LC_* USER LOGNAME TMPDIR SHELL TZ".split()
env = {k: v for k, v in os.environ.items() if any(fnmatch.fnmatchcase(k, p) for p in BASE)}
bwrap = shutil.which("bwrap", path="/usr/bin:/bin")
argv = [bwrap] + ${JSON.stringify(flags)} + ["--", "${TOOL}"] + sys.argv[1:]
os.execve(bwrap, argv, env)
`;

const SHELL_WAY = (flags) => `#!/bin/sh
exec env -i HOME="$HOME" PATH="$PATH" LANG="$LANG" TERM="$TERM" /usr/bin/bwrap ${flags.map((flag) => `'${flag}'`).join(' ')} -- ${TOOL} "$@"
`;

const NODE_WAY = (flags) => `#!${process.execPath}
const { spawnSync } = require('node:child_process');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(HOME|PATH|LANG|TERM|XDG_.*)$/.test(name)));
process.exitCode = spawnSync('/usr/bin/bwrap', [...${JSON.stringify(flags)}, '--', '${TOOL}', ...process.argv.slice(2)], { env, stdio: 'inherit' }).status;
`;

function compileTimer(folder) {
  const source = join(folder, 'timer.c');
  writeFileSync(source, TIMER);
  execFileSync('cc', ['-O2', '-o', join(folder, 'timer'), source]);
}

/** The bubblewrap arguments of a shim, with the working folder filled in. */
function flagsOf(shim, cwd) {
  const lines = readFileSync(shim, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('sandbox '));
  return lines
    .flatMap((line) => line.split(' ').slice(1))
    .map((field) => (field === '\\c' ? cwd : field.replaceAll('\\s', ' ')));
}

class Bench {
  constructor(smoke) {
    this.folder = mkdtempSync(join(tmpdir(), 'cordon-bench-'));
    this.runs = smoke ? 30 : 500;
    this.env = {
      PATH: '/usr/bin:/bin',
      HOME: this.folder,
      LANG: 'C.UTF-8',
      TERM: 'xterm',
      CORDON_HOME: join(this.folder, 'small'),
    };
    compileTimer(this.folder);
  }

  cordon(home, ...args) {
    const env = { ...this.env, CORDON_HOME: join(this.folder, home) };
    execFileSync(process.execPath, [join(ROOT, 'dist/cli.js'), ...args], {
      env,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    return join(this.folder, home, 'bin', 'true');
  }

  envFile(name, more = {}) {
    const path = join(this.folder, name);
    writeFileSync(
      path,
      Object.entries({ ...this.env, ...more })
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    );
    return path;
  }

  script(name, text) {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o755 });
    return path;
  }

  /** Median times in milliseconds, and of the second and later commands the median of their ratios to the first in the same round. */
  measure(...commands) {
    const args = commands.flatMap(([env, ...command], i) => [...(i === 0 ? [] : ['---']), env, ...command]);
    const output = execFileSync(join(this.folder, 'timer'), [String(this.runs), ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    const times = commands.map(() => []);
    for (const line of output.trim().split('\n'))
      times[Number(line.split(' ')[0])].push(Number(line.split(' ')[1]) / 1e6);
    return times;
  }

  close() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function median(list) {
  const sorted = list.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

const ratioOf = (times, other) => median(times.map((time, i) => time / other[i]));

function row(name, times, other, goal) {
  return {
    name,
    ratio: Number(ratioOf(times, other).toFixed(3)),
    goal,
    ms: Number(median(times).toFixed(3)),
    otherMs: Number(median(other).toFixed(3)),
  };
}

function isThere(path) {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Peers that are installed: sandbox-runtime and codex, each told to run the same command with its defaults. */
function peers() {
  const found = (name) =>
    (process.env.PATH ?? '')
      .split(':')
      .map((folder) => join(folder, name))
      .find(isThere);
  const commands = [
    ['srt', ['srt', TOOL]],
    ['codex', ['codex', 'sandbox', 'linux', TOOL]],
  ];
  return commands.flatMap(([name, [program, ...args]]) => {
    const path = found(program);
    return path === undefined ? [] : [[name, [path, ...args]]];
  });
}

const PATTERNS = Array.from({ length: 100 }, (_, i) => [`VENDOR_${i}_*`, `*_PART_${i}_?[A-F]`]).flat();
const VARIABLES = Object.fromEntries(
  Array.from({ length: 500 }, (_, i) => [`SETTING_${i}_OF_SOME_PROGRAM`, `value number ${i}`]),
);

function main({ smoke }) {
  const bench = new Bench(smoke);
  try {
    const small = bench.cordon('small', 'tool', 'config', 'true', 'env', 'base', 'os-common');
    bench.cordon('large', 'tool', 'config', 'true', 'env', 'base', 'os-common');
    const large = bench.cordon('large', 'tool', 'config', 'true', 'env', 'deny', ...PATTERNS);
    const flags = flagsOf(small, bench.folder);
    const largeFlags = flagsOf(large, bench.folder);
    const [plain, many] = [bench.envFile('env'), bench.envFile('env-many', VARIABLES)];
    const off = { CORDON_DISABLE_BWRAP: '1', CORDON_POLICY_QUIET: '1' };
    const [plainOff, manyOff] = [
      bench.envFile('env-off', off),
      bench.envFile('env-many-off', { ...VARIABLES, ...off }),
    ];
    mkdirSync(join(bench.folder, 'ways'));
    const ways = [
      ['the Python way', bench.script('ways/python', PYTHON_WAY(flags)), 0.25],
      ['a shell script', bench.script('ways/shell', SHELL_WAY(flags)), null],
      ['Node', bench.script('ways/node.cjs', NODE_WAY(flags)), null],
    ];
    const [barrier, bubblewrap] = bench.measure([plain, small], [plain, '/usr/bin/bwrap', ...flags, '--', TOOL]);
    const [filter, direct] = bench.measure([plainOff, small], [plain, TOOL]);
    const [largeBarrier, manyBubblewrap] = bench.measure(
      [many, large],
      [many, '/usr/bin/bwrap', ...largeFlags, '--', TOOL],
    );
    const [largeFilter, smallFilter] = bench.measure([manyOff, large], [manyOff, small]);
    const [largeAgain, smallAgain] = bench.measure([many, large], [many, small]);
    const others = bench.measure([plain, small], ...ways.map(([, path]) => [plain, path]));
    return [
      row('shim with barrier / plain bubblewrap, same flags', barrier, bubblewrap, 1.15),
      row('shim with filter / direct exec', filter, direct, 1.3),
      row('200 patterns, 500 variables, barrier / plain bubblewrap', largeBarrier, manyBubblewrap, 1.15),
      row('200 patterns, 500 variables / 0 patterns, barrier', largeAgain, smallAgain, 1.1),
      row('200 patterns, 500 variables / 0 patterns, filter', largeFilter, smallFilter, 1.1),
      ...ways.map(([name, , goal], i) => row(`shim with barrier / ${name}`, others[0], others[i + 1], goal)),
      ...peers().map(([name, command]) => {
        const [ours, theirs] = bench.measure([plain, small], [plain, ...command]);
        return row(`shim with barrier / ${name}`, ours, theirs, null);
      }),
    ];
  } finally {
    bench.close();
  }
}

export async function rows({ smoke = false } = {}) {
  return main({ smoke });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.table(await rows({ smoke: process.argv.includes('--smoke') }));
}
