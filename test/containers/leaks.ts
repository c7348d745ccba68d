import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { filesBelow, programsWith } from '../support/leaks.ts';
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

export const filesWith = (value: string) => filesBelow(KEPT(), value);

export const inspected = (value: string) =>
  podman('ps', '--all', '--quiet', '--no-trunc')
    .stdout.split('\n')
    .filter((id) => id !== '')
    .some((id) => podman('inspect', id).stdout.includes(value));

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
