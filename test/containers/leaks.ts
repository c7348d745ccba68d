import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'vitest';
import { ENGINE_FOLDER, podman } from './scene.ts';

/** Where engines keep what they are told, of ours and of the machine's own. */
const KEPT = () =>
  [
    ENGINE_FOLDER(),
    '/var/lib/containers',
    '/run/containers',
    '/run/libpod',
    '/run/crun',
    '/run/runc',
    '/var/log',
  ].filter((one) => existsSync(one));

export const filesWith = (value: string) =>
  spawnSync('grep', ['-rlaF', '--', value, ...KEPT()], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line !== '');

export const inspected = (value: string) =>
  podman('ps', '--all', '--quiet', '--no-trunc')
    .stdout.split('\n')
    .filter((id) => id !== '')
    .some((id) => podman('inspect', id).stdout.includes(value));

/** Processes whose arguments or environment hold it, by the names of their programs. */
export function programsWith(value: string, what: 'cmdline' | 'environ'): string[] {
  const found = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && holds(pid, what, value),
  );
  return [...new Set(found.map(programOf))].sort();
}

function holds(pid: string, what: string, value: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1').includes(value);
  } catch {
    return false;
  }
}

function programOf(pid: string): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return 'gone';
  }
}

export const canary = () => `canary-${randomBytes(12).toString('hex')}`;

/** While it runs: only who called with it has the value, and the command itself. */
export function expectKeptWhileRunning(value: string, others: readonly string[], callers: readonly string[]): void {
  for (const one of [value, ...others]) {
    expect(inspected(one)).toBe(false);
    expect(filesWith(one)).toEqual([]);
  }
  expect(programsWith(value, 'environ')).toEqual(['busybox', ...callers].sort());
  expect(programsWith(value, 'cmdline')).toEqual([]);
}

export function expectNothingLeft(...values: readonly string[]): void {
  for (const one of values) expect(filesWith(one)).toEqual([]);
}
