// Puts the native launcher and front into the installed package: those that came with it, else built by this machine's C compiler.
// npm may not run this by itself: `node scripts/install-native.mjs` in the package's folder does the same at any time.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const COST = 'without its native launcher Cordon starts nothing';

function isRunnable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function hasCompiler() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return ['musl-gcc', 'cc', 'gcc', 'clang'].some((name) => folders.some((folder) => isRunnable(join(folder, name))));
}

// null: nothing to build with. Throws with the compiler's own words when there is a compiler and the build fails.
export function buildNative(root) {
  const script = join(root, 'native', 'build.sh');
  if (process.platform !== 'linux' || !existsSync(script) || !hasCompiler()) return null;
  const { status, stdout, stderr, error } = spawnSync('sh', [script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`native/build.sh failed\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
  return { launcher: join(root, 'native', 'build', 'cordon-launch'), front: join(root, 'native', 'build', 'cordon') };
}

// What came with the package for this kind of machine, where it can be run.
function prebuiltNative(root) {
  const folder = join(root, 'dist', 'prebuilt', `${process.platform}-${process.arch}`);
  const launcher = join(folder, 'cordon-launch');
  if (!existsSync(launcher)) return null;
  chmodSync(launcher, 0o755);
  const { status } = spawnSync(launcher, ['--version'], { stdio: 'ignore' });
  // One program, whose name tells what it is.
  return status === 0 ? { launcher, front: launcher } : null;
}

// By a rename: the program may be running at this moment, and must never be seen half-written.
export function putInPlace(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const fresh = `${to}.${process.pid}`;
  copyFileSync(from, fresh);
  chmodSync(fresh, 0o755);
  renameSync(fresh, to);
}

// The native front starts this Node, so that it works where `node` is not on PATH.
export function writeNodePath(dist) {
  const path = join(dist, 'node-path');
  writeFileSync(`${path}.${process.pid}`, `${process.execPath}\n`);
  renameSync(`${path}.${process.pid}`, path);
}

// What people have in a home, in a few words: the code that reads it is to be in the cache.
const TYPICAL_HOME = {
  '.profile': '# ~/.profile\nif [ -f "$HOME/.bashrc" ]; then\n  . "$HOME/.bashrc"\nfi\nexport EDITOR=vi\n',
  '.bashrc':
    'alias ll=\'ls -l\'\nexport PATH="$HOME/bin:$PATH"\n[ -n "$PS1" ] && eval "$(dircolors -b)"\nTOKEN=made-up-1a2b3c4d\n',
  '.gitconfig': '[user]\n\tname = Some One\n\temail = someone@example.org\n',
  '.npmrc': '//registry.npmjs.org/:_authToken=made-up\n',
  '.docker/config.json': '{ "auths": {} }\n',
  '.kube/config': 'apiVersion: v1\nusers:\n- name: someone\n  user:\n    token: made-up\n',
  '.ssh/config': 'Host *\n  User someone\n',
  'project/.git/HEAD': 'ref: refs/heads/main\n',
};

function makeTypicalHome() {
  const home = mkdtempSync(join(tmpdir(), 'cordon-cache-'));
  for (const [name, text] of Object.entries(TYPICAL_HOME)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
  return home;
}

// For this very Node. Without it everything works, some milliseconds later.
export function writeCodeCache(root) {
  const home = makeTypicalHome();
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CORDON_HOME: join(home, 'cordon'),
    CORDON_FRONT: '3',
    CORDON_KEEP: '4',
  };
  // A shell with the arguments of a launch stands in for the native front; the plan goes nowhere, so nothing is started.
  const script = '"$CORDON_NODE" "$CORDON_SCRIPT" "$0" "$@" 3>/dev/null 4<"$CORDON_LOOKED"; :';
  const looked = join(env.CORDON_HOME, 'state', 'looked-through');
  const run = (words = [], path = env.PATH) =>
    spawnSync('/bin/sh', ['-c', script, 'run', ...words, '--', 'true'], {
      cwd: join(home, 'project'),
      env: {
        ...env,
        PATH: path,
        CORDON_NODE: process.execPath,
        CORDON_SCRIPT: join(root, 'scripts', 'write-code-cache.cjs'),
        CORDON_LOOKED: existsSync(looked) ? looked : '/dev/null',
      },
      stdio: 'ignore',
    });
  // The first time it writes down what it needs, which a plan that is kept may not come from; the second it keeps what came of looking
  // through files, which the third takes. Each one's cache has what the ones before compiled in it too.
  for (let times = 0; times < 3; times++) run();
  // One for a container goes as far as it does without an engine.
  run(['--in', 'podman:none'], join(home, 'bin'));
  rmSync(home, { recursive: true, force: true });
}

function installIntoPackage(root) {
  const dist = join(root, 'dist');
  writeNodePath(dist);
  const native = prebuiltNative(root) ?? buildNative(root);
  if (!native) {
    writeCodeCache(root);
    console.error(
      `cordon: the package has no launcher for ${process.platform} ${process.arch}, and there is no C compiler here (on Debian: apt-get install gcc musl-tools); ${COST}`,
    );
    return;
  }
  takePlace(native.launcher, join(dist, 'native', 'cordon-launch'));
  takePlace(native.front, join(root, 'bin', 'cordon'));
  writeCodeCache(root);
}

// The same file under another name, so that it is on the disk once.
function takePlace(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const fresh = `${to}.${process.pid}`;
  try {
    chmodSync(from, 0o755);
    linkSync(from, fresh);
    renameSync(fresh, to);
  } catch {
    putInPlace(from, to);
  }
}

function main() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  // A checkout has its own build, and its bin/cordon is a tracked file.
  if (existsSync(join(root, 'src'))) return;
  try {
    installIntoPackage(root);
  } catch (error) {
    console.error(`cordon: ${error instanceof Error ? error.message : error}\n${COST}`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
