// The benchmark runs as an ordinary user in a home of its own, as those do who use Cordon: root has other ways and other costs.
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** Set in the process that measures: the folder in which everything lies that the benchmark makes. */
const SCRATCH = 'BENCH_SCRATCH';
const ORDINARY = 'cordon-test';

export const scratch = process.env[SCRATCH];

/**
 * The home of the account is covered, so that neither what lies in it nor its owner has any part in the figures. The folder that covers it
 * is not seen under its own name: a home that is mounted in two places is looked at twice, and nobody's is.
 */
const IN_OWN_HOME = 'mount --bind "$1" "$2" && mount -t tmpfs none "$1" && cd "$2" && shift 2 && exec setpriv "$@"';

function account() {
  const own = userInfo();
  if (own.uid !== 0) return { ...own, name: own.username, home: own.homedir };
  try {
    const [name, , uid, gid, , home] = execFileSync('getent', ['passwd', ORDINARY], { encoding: 'utf8' }).split(':');
    return { name, uid: Number(uid), gid: Number(gid), home };
  } catch {
    process.stderr.write(
      `bench: there is no user ${ORDINARY}, so this is measured as root (set-up --for-tests adds it)\n`,
    );
    return { ...own, name: own.username, home: own.homedir };
  }
}

function makeScratch({ uid, gid, home }) {
  const isRoot = process.getuid() === 0;
  const folder = mkdtempSync(join(isRoot ? dirname(home) : '/var/tmp', 'cordon-bench-'));
  for (const name of ['.', 'home', 'empty', 'tmp']) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o755 });
    if (isRoot) chownSync(join(folder, name), uid, gid);
  }
  return folder;
}

/** Runs this very script again as the ordinary user; what it writes to the file it is given is handed to `keep`. */
export function asOrdinaryUser(script, args, keep) {
  const { name, uid, gid, home } = account();
  const folder = makeScratch({ uid, gid, home });
  const isRoot = process.getuid() === 0;
  const apart = isRoot ? ['-m'] : ['-m', '--map-current-user', '--keep-caps'];
  const become = isRoot
    ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
    : ['--ambient-caps=-all', '--inh-caps=-all'];
  const result = join(folder, 'result.json');
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, USER: name, LOGNAME: name, LANG: 'C.UTF-8', TERM: 'xterm' },
    ...{ TMPDIR: join(folder, 'tmp'), [SCRATCH]: folder },
    ...(process.env.CORDON_PEERS === undefined ? {} : { CORDON_PEERS: process.env.CORDON_PEERS }),
  };
  const start = [...become, process.execPath, ...process.execArgv, script, ...args, '--to', result];
  // Whoever interrupts it ends the child, and what it made is still taken away.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  try {
    const words = [...apart, 'sh', '-c', IN_OWN_HOME, 'sh', join(folder, 'home'), home, ...start];
    const { status } = spawnSync('unshare', words, { env, stdio: 'inherit' });
    if (status === 0) keep(result);
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
