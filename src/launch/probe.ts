import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { emptyEnvironment } from './launch.ts';
import { nativeLauncher } from './machine.ts';

export interface Probe {
  readonly ok: boolean;
  /** What was found, for people. */
  readonly found: string;
}

/** What this machine can do, as the launcher itself found out by trying. */
export interface Abilities {
  /** `own`: the launcher's namespaces. `bubblewrap`: its own are refused, and bubblewrap's are not. */
  readonly barrier: { readonly by: 'own' | 'bubblewrap' } | { readonly by: 'none'; readonly why: string };
  /** Whether writes can be put aside; why not, where they can't. */
  readonly layers: { readonly ok: true } | { readonly ok: false; readonly why: string };
  /** The version of Landlock, 0 for none. */
  readonly landlock: number;
}

export function probeAbilities(launcher = nativeLauncher()): Abilities {
  if (launcher === undefined) return without('the native launcher is not built');
  const { stdout, stderr } = run(launcher, ['--probe']);
  return abilitiesIn(stdout) ?? without(stderr.trim().split('\n').at(-1) || `${launcher} does not run`);
}

/** `barrier own`, `overlay no: REASON`, `landlock 6`: one ability a line. */
export function abilitiesIn(text: string): Abilities | undefined {
  const lines = new Map(
    [...text.matchAll(/^(\w+) (\w+)(?:: (.*))?$/gm)].map(([, name, value, why = '']) => [name, { value, why }]),
  );
  const [barrier, overlay, landlock] = ['barrier', 'overlay', 'landlock'].map((name) => lines.get(name));
  if (barrier === undefined) return undefined;
  const by = barrier.value === 'own' || barrier.value === 'bubblewrap' ? barrier.value : 'none';
  return {
    barrier: by === 'none' ? { by, why: barrier.why } : { by },
    layers: overlay?.value === 'yes' ? { ok: true } : { ok: false, why: overlay?.why ?? '' },
    landlock: Number(landlock?.value ?? 0),
  };
}

function without(why: string): Abilities {
  return { barrier: { by: 'none', why }, layers: { ok: false, why }, landlock: 0 };
}

/** Whether there is a barrier at all, which only trying tells. */
export function probeBarrier(): Probe {
  const { barrier } = probeAbilities();
  if (barrier.by === 'none') return { ok: false, found: barrier.why };
  return { ok: true, found: barrier.by === 'own' ? 'namespaces of its own' : 'bubblewrap' };
}

export function probeLauncher(): Probe {
  const launcher = nativeLauncher();
  if (launcher === undefined) return { ok: false, found: 'not built' };
  const { status, stdout } = run(launcher, ['--version']);
  return status === 0 ? { ok: true, found: stdout.trim() } : { ok: false, found: `${launcher} does not run` };
}

function run(program: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: '/', // The working folder may be gone, which says nothing about the machine.
    env: emptyEnvironment(),
    encoding: 'utf8',
    timeout: 10_000,
  });
  return { status, stdout: stdout ?? '', stderr: stderr ?? '' };
}

/** What stops an ordinary user from making namespaces, where the system says so. */
export function namespaceLimit(): string | undefined {
  if (sysctl('user/max_user_namespaces') === '0') return 'user.max_user_namespaces is 0';
  if (sysctl('kernel/unprivileged_userns_clone') === '0') return 'kernel.unprivileged_userns_clone is 0';
  return sysctl('kernel/apparmor_restrict_unprivileged_userns') === '1'
    ? 'kernel.apparmor_restrict_unprivileged_userns is 1'
    : undefined;
}

function sysctl(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}
