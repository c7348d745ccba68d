// What `--in podman:IMAGE` costs beside the same `podman run`, as an ordinary user with an image of nothing but busybox.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVERYDAY, livedInHome, PROJECT } from '../home.mjs';
import { folder, interleaved } from '../interleave.mjs';
import { scratch } from '../user.mjs';

const cordon = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));
const IMAGE = 'localhost/bench';
const NAMES = ['cordon run --in podman / podman run', 'cordon run --in podman, a list of hosts / podman run'];

/**
 * Storage of its own, which needs nothing of the kernel; nothing of the user's engine is touched. Where its name has more than 50
 * characters, podman waits 20 s for each container.
 */
function makeImage() {
  const [root, run] = [join(folder, 'image'), join(scratch, 'run')];
  for (const made of ['bin', 'etc']) mkdirSync(join(root, made), { recursive: true, mode: 0o755 });
  mkdirSync(run, { mode: 0o700 });
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  symlinkSync('busybox', join(root, 'bin/true'));
  execFileSync('tar', ['-C', root, '-cf', join(folder, 'image.tar'), '.']);
  const storage = join(folder, 'storage.conf');
  writeFileSync(storage, '[storage]\ndriver = "vfs"\n');
  const env = { ...EVERYDAY, XDG_RUNTIME_DIR: run, CONTAINERS_STORAGE_CONF: storage };
  execFileSync('podman', ['import', '--quiet', '-c', 'ENV PATH=/bin', join(folder, 'image.tar'), IMAGE], {
    ...{ env, cwd: PROJECT, stdio: ['ignore', 'ignore', 'pipe'] },
  });
  return env;
}

/** Where podman waits for a time limit of its own, a ratio would say nothing. */
const LONGEST_MS = 5000;

function takes({ in: cwd, words: [program, ...args] }, env) {
  const started = Date.now();
  execFileSync(program, args, { cwd, env, stdio: 'ignore' });
  return Date.now() - started;
}

/** With the process that rootless podman leaves behind. */
function removeImage(env) {
  spawnSync('podman', ['rmi', '--all', '--force'], { env, stdio: 'ignore' });
  const pause = join(env.XDG_RUNTIME_DIR, 'libpod/tmp/pause.pid');
  if (existsSync(pause)) process.kill(Number(readFileSync(pause, 'utf8')));
}

export function rows({ smoke }) {
  livedInHome({ smoke });
  const without = (note) => NAMES.map((name) => ({ name, value: null, note }));
  if (spawnSync('podman', ['--version']).status !== 0 || !existsSync('/bin/busybox'))
    return without('podman or a static busybox is not here');
  let env;
  try {
    env = makeImage();
  } catch (error) {
    return without(
      `podman takes no image here: ${String(error.stderr ?? error.message)
        .trim()
        .split('\n')
        .at(-1)}`,
    );
  }
  try {
    const run = (...flags) => ({
      in: PROJECT,
      words: [cordon, 'run', ...flags, '--in', `podman:${IMAGE}`, '--', 'true'],
    });
    const bare = { in: PROJECT, words: ['/usr/bin/podman', 'run', '--rm', '--network', 'none', IMAGE, 'true'] };
    const alone = Math.min(takes(bare, env), takes(bare, env));
    if (alone > LONGEST_MS) return without(`podman run alone takes ${Math.round(alone / 1000)} s here`);
    const taken = interleaved(
      { bare, off: run('--net', 'off'), named: run('--net', 'example.com') },
      smoke ? 3 : 40,
      env,
    );
    const [off, named] = NAMES;
    return [
      { name: off, value: taken.off / taken.bare, unit: 'x', goal: '<= 1.3', protection: 'guarded' },
      { name: named, value: taken.named / taken.bare, unit: 'x', protection: 'guarded' },
      { name: '  median podman run', value: taken.bare, unit: 'ms' },
      { name: '  median cordon run --in podman', value: taken.off, unit: 'ms', protection: 'guarded' },
    ];
  } finally {
    removeImage(env);
  }
}
