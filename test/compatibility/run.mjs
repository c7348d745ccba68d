// Runs the hundred commands of scenarios.txt outside and inside `cordon run`, as cordon-test in a home that is lived in, and
// writes docs/compatibility.md from that run:
//   run.mjs TOOLS [--write] [FILTER...]   TOOLS: a folder in whose node_modules the tools are (.ci/compatibility makes it)
// Needs root: everything happens in namespaces of its own, with its own loopback, /home, /tmp and /etc/hosts.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageOf } from './page.mjs';
import { makeHome, makeServed } from './scene.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const HOME = '/home/cordon-test';
const SECONDS = 180;

const [tools, ...rest] = process.argv.slice(2);
const isWriting = rest.includes('--write');
const filters = rest.filter((word) => !word.startsWith('--'));

export function scenariosIn(text) {
  let group = '';
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('== ')) group = line.slice(3);
    const [, folder, command, needs] = /^(\S+) :: (.*?)(?: {2}needs (.*))?$/.exec(line) ?? [];
    return folder === undefined ? [] : [{ group, folder, command, needs }];
  });
}

if (process.env.CORDON_COMPATIBILITY !== 'apart') {
  const { status } = spawnSync(
    'unshare',
    ['--mount', '--net', '--propagation', 'private', process.execPath, ...process.argv.slice(1)],
    {
      stdio: 'inherit',
      env: { ...process.env, CORDON_COMPATIBILITY: 'apart' },
    },
  );
  process.exit(status ?? 1);
}

const id = (flag) => Number(execFileSync('id', [flag, 'cordon-test'], { encoding: 'utf8' }));
const user = { uid: id('-u'), gid: id('-g') };
const folder = mkdtempSync('/var/tmp/cordon-compatibility-');
const children = [];
let isOver = false;

function separate() {
  chmodSync(folder, 0o755);
  for (const name of ['home', 'seed', 'etc']) mkdirSync(join(folder, name));
  chownSync(join(folder, 'home'), user.uid, user.gid);
  writeFileSync(join(folder, 'etc/hosts'), '127.0.0.1 localhost git.localhost github.localhost api.github.localhost\n');
  const script = `ip link set lo up && echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start &&
    mount --bind ${folder}/home ${HOME} && mount -t tmpfs -o mode=1777 tmpfs /tmp && mount --bind ${folder}/etc/hosts /etc/hosts &&
    mkdir -p /run/user && mount -t tmpfs -o mode=0755 tmpfs /run/user && mkdir -m 0700 /run/user/${user.uid} && chown ${user.uid}:${user.gid} /run/user/${user.uid}`;
  execFileSync('bash', ['-ec', script], { stdio: 'inherit' });
}

/** As npm installs it for a user. */
function installCordon() {
  const at = join(HOME, '.npm-global/lib/node_modules/cordon');
  for (const name of ['dist', 'package.json']) cpSync(join(root, name), join(at, name), { recursive: true });
  mkdirSync(join(at, 'bin'));
  cpSync(join(root, 'dist/bin/cordon'), join(at, 'bin/cordon'));
  symlinkSync('../lib/node_modules/cordon/bin/cordon', join(HOME, '.npm-global/bin/cordon'));
  execFileSync('chown', ['-hR', `${user.uid}:${user.gid}`, join(HOME, '.npm-global')]);
}

/** What a log-in gives a developer, with a few secrets among it. */
const environment = () => ({
  HOME,
  USER: 'cordon-test',
  LOGNAME: 'cordon-test',
  SHELL: '/bin/bash',
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  EDITOR: 'vim',
  PAGER: 'less',
  PATH: [
    `${HOME}/.local/bin`,
    `${HOME}/.npm-global/bin`,
    join(tools, 'node_modules/.bin'),
    '/usr/local/bin:/usr/bin:/bin',
  ].join(':'),
  XDG_RUNTIME_DIR: `/run/user/${user.uid}`,
  SSH_AUTH_SOCK: join(folder, 'agent'),
  GH_HOST: 'github.localhost',
  NODE_EXTRA_CA_CERTS: `${HOME}/.config/corp/ca.pem`,
  AWS_SECRET_ACCESS_KEY: ['not', 'a', 'real', 'one'].join('-'),
});

const become = ['--reuid', String(user.uid), '--regid', String(user.gid), '--init-groups'];

/** Runs a program as the user, in a process tree that ends with it. */
function runAsUser(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['--pid', '--fork', '--kill-child', '--mount-proc', 'setpriv', '--pdeathsig', 'KILL', ...become, program, ...args],
    { cwd, env: environment(), input: '', timeout: SECONDS * 1000, killSignal: 'SIGKILL', maxBuffer: 1 << 26 },
  );
  return { code: status ?? 'time', stdout: stdout.toString('latin1'), stderr: stderr.toString('latin1') };
}

function mustRun(program, args, cwd) {
  const ran = runAsUser(program, args, cwd);
  if (ran.code !== 0) throw new Error(`${args.join(' ')}\n${ran.code} ${ran.stdout}${ran.stderr}`);
}

async function startService(program, args, isReady) {
  const child = spawn('setpriv', [...become, '--', program, ...args], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  child.once(
    'exit',
    (code, signal) =>
      isOver ||
      process.stderr.write(`${program} ended (${signal ?? code})\n${Buffer.concat(output).toString().slice(-500)}\n`),
  );
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const deadline = Date.now() + 60_000;
  while (!isReady(Buffer.concat(output).toString())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${program}: ${Buffer.concat(output)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function startServices() {
  await startService(process.execPath, [join(folder, 'servers.mjs'), folder], (text) => text.includes('ready'));
  const sshd = ['-D', '-e', '-f', '/dev/null', '-h', join(folder, 'ssh/host'), '-p', '2222', '-o', 'StrictModes=no'];
  const keys = ['-o', `AuthorizedKeysFile=${folder}/ssh/authorized`, '-o', 'PidFile=none', '-o', 'UsePAM=no'];
  await startService('/usr/sbin/sshd', [...sshd, ...keys], (text) => text.includes('listening'));
  await startService('ssh-agent', ['-D', '-a', join(folder, 'agent')], (text) => text.includes('SSH_AUTH_SOCK'));
  mustRun('ssh-add', ['-q', join(folder, 'ssh/user')], folder);
  const bin = execFileSync('bash', ['-c', 'ls -d /usr/lib/postgresql/*/bin | tail -n 1'], { encoding: 'utf8' }).trim();
  mustRun(
    'bash',
    [
      '-ec',
      `${bin}/initdb -D pg -A trust >/dev/null && printf 'host all cordon-test all trust\\nhost all all all scram-sha-256\\n' > pg/pg_hba.conf`,
    ],
    folder,
  );
  await startService(`${bin}/postgres`, ['-D', join(folder, 'pg'), '-k', '', '-h', '127.0.0.1'], (text) =>
    text.includes('ready to accept'),
  );
  mustRun(
    'psql',
    [
      '-qh',
      '127.0.0.1',
      '-d',
      'postgres',
      '-c',
      `create role careful login password '${['care', 'ful', '1'].join('')}'`,
    ],
    folder,
  );
}

/**
 * The same home for each run. The tools are not changed by anyone, and many. Times are compared whole: a branch that moved
 * within the second it was made in has the same length.
 */
function restore() {
  const options = ['-a', '--delete', '--modify-window=-1', '--exclude=/work/app/node_modules'];
  execFileSync('rsync', [...options, `${folder}/seed/`, `${HOME}/`]);
  execFileSync('find', ['/tmp', '-mindepth', '1', '-delete']);
}

/** A command without anything for a shell in it is typed as it is; else a shell runs it. */
const isPlain = (command) => !/[;&|<>$`(){}'"*?\\]|^\w+=/.test(command);
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const inside = (flags, command) =>
  `cordon run ${flags} -- ${isPlain(command) ? command : `bash -c ${quoted(command)}`}`.replace('  ', ' ');

function tryOut({ folder: at, command, needs }) {
  const cwd = join(HOME, at);
  const fresh = (...words) => {
    restore();
    return runAsUser(words[0], words.slice(1), cwd);
  };
  const same = (ran) => ran.code === outside.code && ran.stdout === outside.stdout;
  const outside = fresh('bash', '-c', command);
  const plain = fresh('bash', '-c', inside('', command));
  if (same(plain) && outside.code === 0) return { result: 'same', outside, plain };
  if (outside.code !== 0 || outside.stdout === '') return { result: 'fails outside', outside, plain };
  if (needs === undefined) return { result: 'differs', outside, plain };
  const flagged = fresh('bash', '-c', inside(needs, command));
  if (!same(flagged)) return { result: 'differs', outside, plain, flagged };
  const onTerminal = fresh('script', '-qec', inside('', command), '/dev/null');
  const [, path = 'SSH_AUTH_SOCK'] = needs.split(' ');
  const explained = fresh('bash', '-c', `cordon explain ${path}`);
  const said = `${onTerminal.stdout}${explained.stdout}`.replaceAll(/\s+/g, ' ').replaceAll(HOME, '~');
  const isNamed = said.includes(needs);
  return { result: isNamed ? 'flag' : 'flag, not named', outside, plain, flagged, onTerminal: explained };
}

function show({ command }, { result, outside, plain, flagged, onTerminal }) {
  process.stdout.write(`${result.padEnd(16)} ${command}\n`);
  if (result === 'same' || result === 'flag') return;
  const part = (name, ran) =>
    ran === undefined ? '' : `   ${name} ${ran.code}\n${indent(ran.stdout)}${indent(ran.stderr)}`;
  process.stdout.write(
    part('outside', outside) + part('inside', plain) + part('with flags', flagged) + part('on a terminal', onTerminal),
  );
}

const indent = (text) => (text === '' ? '' : `      ${text.slice(-1500).trimEnd().replaceAll('\n', '\n      ')}\n`);

async function main() {
  separate();
  makeServed(folder, user, mustRun);
  cpSync(join(here, 'servers.mjs'), join(folder, 'servers.mjs'));
  await startServices();
  makeHome(HOME, { folder, tools, ...user, run: mustRun });
  installCordon();
  execFileSync('rsync', ['-a', '--exclude=/work/app/node_modules', `${HOME}/`, `${folder}/seed/`]);
  const scenarios = scenariosIn(readFileSync(join(here, 'scenarios.txt'), 'utf8'));
  const chosen = scenarios.filter(({ command }) => filters.every((word) => command.includes(word)));
  const rows = chosen.map((scenario) => {
    const tried = tryOut(scenario);
    show(scenario, tried);
    return { ...scenario, result: tried.result };
  });
  const count = (result) => rows.filter((row) => row.result === result).length;
  process.stdout.write(
    `${count('same')} of ${rows.length} the same, ${count('flag')} more with a flag that is named\n`,
  );
  if (isWriting) writeFileSync(join(root, 'docs/compatibility.md'), pageOf(rows));
  const known = readFileSync(join(root, 'docs/compatibility.md'), 'utf8');
  const worse = rows.filter((row) => !isAsGoodAs(known, row));
  for (const { command } of worse) process.stdout.write(`worse than the page says: ${command}\n`);
  return isWriting || worse.length <= MOST_WORSE;
}

/** Best first. */
const RESULTS = ['same', 'flag', 'flag, not named', 'differs', 'fails outside'];
/** A hundred programs of others on any machine: a few may have a bad day. */
const MOST_WORSE = 5;

function isAsGoodAs(page, row) {
  return RESULTS.slice(RESULTS.indexOf(row.result)).some((result) => page.includes(pageOf.row({ ...row, result })));
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  isOver = true;
  for (const child of children) child.kill('SIGKILL');
  execFileSync('bash', ['-c', `umount ${HOME}`]);
  rmSync(folder, { recursive: true, force: true });
}
