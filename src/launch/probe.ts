import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Machine } from '../plan/plan.ts';
import { nativeLauncher } from './native.ts';
import { emptyEnvironment } from './spawn-options.ts';

export interface Probe {
  readonly ok: boolean;
  /** What was found, for people. */
  readonly found: string;
}

const PROBE_ARGUMENTS = [
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--',
  'true',
];

/** Whether bubblewrap really can set up its namespaces, which only trying tells. */
export function probeBarrier({ bwrap, uid }: Machine): Probe {
  if (bwrap === undefined) return { ok: false, found: 'bubblewrap is not installed' };
  const args = uid === 0 ? PROBE_ARGUMENTS : ['--unshare-user', ...PROBE_ARGUMENTS];
  const { status, stderr } = run(bwrap, args);
  return status === 0
    ? { ok: true, found: run(bwrap, ['--version']).stdout.trim() }
    : { ok: false, found: stderr.trim().split('\n').at(-1) ?? 'it failed' };
}

export function probeLauncher(): Probe {
  const launcher = nativeLauncher();
  if (launcher === undefined) return { ok: false, found: 'not built' };
  const { status, stdout } = run(launcher, ['--version']);
  return status === 0 ? { ok: true, found: stdout.trim() } : { ok: false, found: `${launcher} does not run` };
}

function run(program: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
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
