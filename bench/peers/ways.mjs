// A shim as one would write it in another language: the environment by the same rules, then the very same bubblewrap call.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync) ?? 'python3';

/** What a generated Python wrapper does by its document: the three layers, bubblewrap looked up on PATH, the environment as flags. */
const PYTHON_WAY = (flags, target) => `#!${PYTHON}
import fnmatch, os, shutil, sys

BASE = "HOME PATH XDG_* NO_COLOR FORCE_COLOR TERM COLORTERM LANG LC_* USER LOGNAME TMPDIR SHELL TZ".split()
ALLOW = []
DENY = {}

def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)

def passes(name):
    if any(fnmatch.fnmatchcase(name, deny) and not matches(name, but) for deny, but in DENY.items()):
        return False
    return matches(name, BASE) or matches(name, ALLOW)

env = {name: value for name, value in os.environ.items() if passes(name)}
bwrap = None if os.environ.get("DISABLE_BWRAP") == "1" else shutil.which("bwrap")
if bwrap is None:
    os.execve("${target}", ["${target}"] + sys.argv[1:], env)
handed = [word for name, value in env.items() for word in ("--setenv", name, value)]
os.execv(bwrap, ["bwrap", "--clearenv"] + handed + ${JSON.stringify(flags)} + ["--", "${target}"] + sys.argv[1:])
`;

const SHELL_WAY = (bwrap, flags, target) => `#!/bin/sh
exec /usr/bin/env -i HOME="$HOME" PATH="$PATH" LANG="$LANG" TERM="$TERM" ${bwrap} ${flags.join(' ')} -- ${target} "$@"
`;

const NODE_WAY = (bwrap, flags, target) => `#!${process.execPath}
const { spawnSync } = require('node:child_process');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(HOME|PATH|LANG|TERM|XDG_.*)$/.test(name)));
const args = [...${JSON.stringify(flags)}, '--', '${target}', ...process.argv.slice(2)];
process.exitCode = spawnSync('${bwrap}', args, { env, stdio: 'inherit' }).status;
`;

function executable(path, text) {
  writeFileSync(path, text, { mode: 0o755 });
  return [path];
}

/** The commands by name, written into this folder. */
export function otherWays(folder, { bwrap, flags, target }) {
  mkdirSync(folder, { recursive: true });
  return {
    python: executable(join(folder, 'python'), PYTHON_WAY(flags, target)),
    shell: executable(join(folder, 'shell'), SHELL_WAY(bwrap, flags, target)),
    node: executable(join(folder, 'node.cjs'), NODE_WAY(bwrap, flags, target)),
  };
}
