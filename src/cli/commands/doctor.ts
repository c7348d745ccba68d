import { accessSync, constants, existsSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bytes, bytesOfText, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { textIn } from '../../host/files.ts';
import { findCommand } from '../../host/folders.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import { type Around, containerAround, hasAccountToken, lacking, settingLine } from '../../launch/container/around.ts';
import { clearKeptPlans, keptFolder, keptPlans, lookedThroughFile } from '../../launch/kept-plans.ts';
import { surveyMachine } from '../../launch/machine.ts';
import { LOCKED_BYTES } from '../../launch/outside.ts';
import { namespaceLimit, probeAbilities, probeLauncher } from '../../launch/probe.ts';
import { findCgroups } from '../../sessions/cgroup-places.ts';
import { examineTools } from '../../tools/examine.ts';
import { DOCTOR_FLAGS } from '../command-flags.ts';
import { type Context, jsonText } from '../context.ts';
import { hasFlag, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { painter } from '../ui/colour.ts';
import { hanging } from '../ui/definitions.ts';

interface DoctorFinding {
  readonly check: string;
  readonly state: 'ok' | 'weaker' | 'missing';
  readonly found: string;
  /** What it means for the user, when it isn't ok. */
  readonly means?: string | undefined;
  /** The command that fixes it. */
  readonly fix?: string | undefined;
}

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: DOCTOR_FLAGS });
  if (hasFlag(parsed, '--clear') && !hasFlag(parsed, '--cache'))
    throw usageError('--clear goes with --cache', 'write cordon doctor --cache --clear');
  if (hasFlag(parsed, '--cache')) return showCache(parsed, context);
  const findings = examine(context);
  if (hasFlag(parsed, '--json')) context.out(jsonText({ findings, level: levelOf(findings) }));
  else showFindings(findings, context);
  return 0;
}

/** The plans that are kept so that the same run starts at once. Whatever is cleared is made anew. */
function showCache(parsed: ParsedArguments, { folders: { state }, out }: Context): number {
  const plans = state === undefined ? [] : keptPlans(state);
  const clear = hasFlag(parsed, '--clear');
  if (clear) clearKeptPlans(plans);
  if (clear && state !== undefined) rmSync(lookedThroughFile(state), { force: true });
  if (hasFlag(parsed, '--json')) {
    out(jsonText({ folder: state === undefined ? null : keptFolder(state), plans, cleared: clear }));
    return 0;
  }
  const bytes = plans.reduce((sum, plan) => sum + plan.bytes, 0);
  const many = `${plans.length} ${plans.length === 1 ? 'plan' : 'plans'} of cordon run, ${Math.ceil(bytes / 1024)} KiB`;
  out(`${clear ? 'removed' : 'kept'}: ${many}${state === undefined ? '' : `, in ${showText(keptFolder(state))}`}\n`);
  for (const { path, bytes: size, time } of clear ? [] : plans)
    out(
      `  ${time.toISOString().slice(0, 19)}Z  ${String(Math.ceil(size / 1024)).padStart(4)} KiB  ${basename(path).slice(0, 12)}\n`,
    );
  return 0;
}

function examine(context: Context): DoctorFinding[] {
  const around = containerAround(context.env);
  return [
    platform(),
    ...inContainer(around),
    barrier(context, around),
    launcher(),
    filterProgram(),
    limits(around),
    ...locking(),
    state(context),
    ...tools(context),
  ];
}

function platform(): DoctorFinding {
  const found = `${process.platform} ${process.arch}, Node ${process.versions.node}`;
  if (process.platform === 'linux') return { check: 'platform', state: 'ok', found };
  return {
    check: 'platform',
    state: 'weaker',
    found,
    means: 'the barrier needs Linux: here variables are filtered, which is hygiene only',
  };
}

const NAMES: Readonly<Record<Around, string>> = {
  podman: 'a container of podman',
  docker: 'a container of docker',
  kubernetes: 'a pod of Kubernetes',
  container: 'a container',
};

function inContainer(around: Around | undefined): DoctorFinding[] {
  if (around === undefined) return [];
  const found = NAMES[around];
  if (around !== 'kubernetes' || !hasAccountToken()) return [{ check: 'container', state: 'ok', found }];
  return [
    {
      check: 'container',
      state: 'weaker',
      found: `${found}, with a token of its service account`,
      means: 'whoever reads the token can use the cluster as this pod may; behind the barrier it is not there',
      fix: 'in the pod: automountServiceAccountToken: false',
    },
  ];
}

/** In a container the way to a barrier is a setting of whoever started it; starting the command again changes nothing. */
function barrierInContainer(around: Around, why: string, limit: string | undefined): DoctorFinding {
  const settings = settingLine(around, limit === undefined ? lacking(why) : []);
  const restricted =
    around === 'kubernetes' ? '; PodSecurity `restricted` does not allow it, there commands are only filtered' : '';
  return {
    check: 'barrier',
    state: 'missing',
    found: showText(limit === undefined ? why : `${why} (${limit})`),
    means: `commands here are filtered only: other processes and files of this container stay readable${restricted}`,
    fix:
      settings ??
      (limit === undefined
        ? 'no known setting is in the way; see docs/containers.md'
        : `on the machine that runs it: ${namespaceFix(limit)}`),
  };
}

function barrier(context: Context, around: Around | undefined): DoctorFinding {
  const { barrier: by, layers } = probeAbilities();
  if (by.by !== 'none')
    return layers.ok ? { check: 'barrier', state: 'ok', found: showBarrier(by.by) } : withoutLayers(by.by, layers.why);
  const limit = namespaceLimit();
  if (around !== undefined) return barrierInContainer(around, by.why, limit);
  return {
    check: 'barrier',
    state: 'missing',
    found: showText(limit === undefined ? by.why : `${by.why} (${limit})`),
    means:
      'commands run with a filtered environment only: /proc and credential files stay readable, and what needs the barrier is refused',
    fix: surveyMachine(context.env).bwrap === undefined ? installation('bubblewrap') : namespaceFix(limit),
  };
}

const showBarrier = (by: 'own' | 'bubblewrap') => (by === 'own' ? 'namespaces of its own' : 'through bubblewrap');

/** What is written outside of the workspace has nowhere to go. */
function withoutLayers(by: 'own' | 'bubblewrap', why: string): DoctorFinding {
  return {
    check: 'barrier',
    state: 'weaker',
    found: showText(`${showBarrier(by)}, without layers${why === '' ? '' : `: ${why}`}`),
    means: 'the home is read-only for commands: what they write there is refused instead of put aside',
  };
}

function launcher(): DoctorFinding {
  const { ok, found } = probeLauncher();
  if (ok) return { check: 'launcher', state: 'ok', found };
  const script = fileURLToPath(new URL('../scripts/install-native.mjs', import.meta.url));
  return {
    check: 'launcher',
    state: 'missing',
    found,
    means: 'nothing can be started, and there are no tool shims',
    fix: `${installation(existsSync('/usr/bin/apt-get') ? 'musl-tools' : 'gcc')} && ${asRoot(isWritable(dirname(script)))}node ${showText(script)}`,
  };
}

function filterProgram(): DoctorFinding {
  const known = process.arch === 'x64' || process.arch === 'arm64';
  if (known) return { check: 'seccomp', state: 'ok', found: process.arch };
  return {
    check: 'seccomp',
    state: 'weaker',
    found: `no filter for ${process.arch}`,
    means: 'terminal input could be faked and keyrings read inside the barrier',
  };
}

/** What holds the limits of a session's calls. */
const CAP_IPC_LOCK = 14n;

/** What is brokered is encrypted in memory with a key that is never swapped out, where so much may be locked. */
function locking(): DoctorFinding[] {
  const [, soft] = /^Max locked memory +(\S+)/m.exec(textIn('/proc/self/limits')) ?? [];
  const [, rights = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(textIn('/proc/self/status')) ?? [];
  const isCapable = ((BigInt(`0x${rights}`) >> CAP_IPC_LOCK) & 1n) === 1n;
  if (soft === undefined || soft === 'unlimited' || Number(soft) >= LOCKED_BYTES || isCapable) return [];
  return [
    {
      check: 'memory',
      state: 'weaker',
      found: `only ${Math.floor(Number(soft) / 1024)} KiB of it may be locked`,
      means: 'with --broker, the key that values are encrypted with in memory may be written to swap',
      fix: `allow ${LOCKED_BYTES >> 10} KiB (ulimit -l, memlock in /etc/security/limits.conf), or encrypt swap`,
    },
  ];
}

function limits(around: Around | undefined): DoctorFinding {
  const groups = findCgroups();
  if (groups !== undefined)
    return {
      check: 'limits',
      state: 'ok',
      found: `control groups, version ${groups.version}: memory and processes of a call as a whole`,
    };
  const root = process.getuid?.() === 0;
  const finding = {
    check: 'limits',
    state: 'weaker',
    found: 'resource limits of each process: no control groups can be made here',
    means: `sessions limit the memory of each process, not of a call as a whole${root ? ', and root may start any number of processes' : ''}`,
  } as const;
  // Nothing that is started inside a container changes that.
  if (around !== undefined)
    return { ...finding, means: `${finding.means}; those of the container are around all calls` };
  return {
    ...finding,
    fix: root
      ? 'run as an ordinary user, or make /sys/fs/cgroup writable'
      : 'systemd-run --user --scope -p Delegate=yes cordon serve …',
  };
}

function state({ folders }: Context): DoctorFinding {
  const folder = folders.state;
  if (folder === undefined)
    return {
      check: 'audit',
      state: 'weaker',
      found: 'no home folder is known',
      means: 'launches are not recorded',
      fix: 'set HOME or CORDON_HOME',
    };
  if (isWritable(folder) && !isFull(folder)) return { check: 'audit', state: 'ok', found: showText(folder) };
  if (isWritable(folder))
    return {
      check: 'audit',
      state: 'weaker',
      found: showText(folder),
      means: 'the disk is full, so launches are not recorded',
      fix: 'make room there',
    };
  return {
    check: 'audit',
    state: 'weaker',
    found: showText(folder),
    means: 'the folder cannot be written, so launches are not recorded',
    fix: 'make the folder yours, or set XDG_STATE_HOME or CORDON_HOME to one that you may write',
  };
}

/** Whoever has no tools needs no bin folder on PATH. */
function tools({ env }: Context): DoctorFinding[] {
  try {
    const finding = examineTools(env);
    return finding === undefined ? [] : [{ check: 'tools', ...finding }];
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    const found = [error.where, error.message].filter(Boolean).join(': ');
    return [
      {
        check: 'tools',
        state: 'weaker',
        found: showText(found),
        means: 'tool policies cannot be read',
        fix: error.hint,
      },
    ];
  }
}

/** The nearest folder that exists decides whether the rest could be made. */
function isWritable(folder: string): boolean {
  if (!existsSync(folder)) return folder !== dirname(folder) && isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** As a launch looks at it. */
function isFull(folder: string): boolean {
  if (!existsSync(folder)) return folder !== dirname(folder) && isFull(dirname(folder));
  return statfsSync(folder).bavail === 0;
}

function levelOf(findings: readonly DoctorFinding[]): 'barrier' | 'filter' {
  return findings.some(({ check, state: how }) => check === 'barrier' && how !== 'missing') ? 'barrier' : 'filter';
}

function showFindings(findings: readonly DoctorFinding[], context: Context): void {
  const paint = painter(context.colour.out);
  const mark = { ok: paint('green', 'ok     '), weaker: paint('yellow', 'weaker '), missing: paint('red', 'missing') };
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, state: how, found, means, fix } of findings) {
    const lines = (text: string) => hanging(`${' '.repeat(9)}${text}`, context.columns).split('\n');
    const [first = '', ...more] = lines(`${check.padEnd(width)}  ${found}`);
    context.out(`${[`${mark[how]}${first.slice(7)}`, ...more].join('\n')}\n`);
    if (means !== undefined) context.out(`${lines(means).join('\n')}\n`);
    if (fix !== undefined)
      context.out(
        `${lines(fix)
          .map((line) => paint('cyan', line))
          .join('\n')}\n`,
      );
  }
  context.out(`\nThis machine protects at level: ${paint('bold', levelOf(findings))}\n`);
  context.out(`${hanging(nextStep(findings, context), context.columns)}\n`);
}

function nextStep(findings: readonly DoctorFinding[], { env }: Context): string {
  if (levelOf(findings) === 'filter') return 'Fix what is missing as shown, then run cordon doctor again.';
  if (findings.some(({ check, state: how }) => check === 'tools' && how !== 'ok'))
    return 'Your tools do not run under their policies yet: see above.';
  return `Try it: ${howToStart(env)} run -- env`;
}

/** By its name where that starts it, else by its path. */
function howToStart(env: ParentEnv): string {
  try {
    findCommand(bytesOfText('cordon'), env);
    return 'cordon';
  } catch {
    const places = ['../bin/cordon', 'bin/cordon'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
    const path = places.find((place) => existsSync(place));
    return path === undefined
      ? 'cordon'
      : showText(/[^\w/.@+-]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : path);
  }
}

/** Commands for the system at hand, as its user can type them. */
const MANAGERS = [
  ['/usr/bin/apt-get', 'apt-get install'],
  ['/usr/bin/dnf', 'dnf install'],
  ['/usr/bin/pacman', 'pacman -S'],
  ['/usr/bin/zypper', 'zypper install'],
  ['/sbin/apk', 'apk add'],
] as const;

function installation(packages: string): string {
  const manager = MANAGERS.find(([program]) => existsSync(program));
  return manager === undefined
    ? `install ${packages} with the package manager of this system`
    : `${asRoot()}${manager[1]} ${packages}`;
}

/** Root needs no sudo, and in containers there is often none. */
function asRoot(allowed = process.getuid?.() === 0): string {
  return allowed ? '' : 'sudo ';
}

/** What the system says of itself is fixed there; a container is told no more than that it may not. */
function namespaceFix(limit: string | undefined): string {
  if (limit !== undefined) return `${asRoot()}sysctl -w ${limit.replace(/ is .*/, valueFor(limit))}`;
  return 'in a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined; else see docs/troubleshooting.md';
}

function valueFor(limit: string): string {
  if (limit.startsWith('user.max')) return '=15000';
  return limit.includes('apparmor') ? '=0' : '=1';
}
