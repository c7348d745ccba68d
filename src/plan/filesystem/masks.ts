import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Collection } from './collect.ts';
import { type Mount, otherNames } from './mounts.ts';
import { realStart } from './own.ts';
import type { Cover } from './types.ts';

/**
 * An empty file of Cordon's own stands in for hidden files, since programs take an empty file better than one they may not open.
 * Where there is no state folder, /dev/null does it: bubblewrap mounts it without devices, so opening it is refused.
 */
export function chooseBlank(into: Collection): string {
  const { state } = into.facts.folders;
  if (state === undefined || !into.canKeep || !into.covers.some(isHiddenFile)) return '/dev/null';
  const found = into.disk.find(realStart(into, state));
  const path = join('missing' in found ? realStart(into, state) : found.path, 'blank');
  const stats = into.disk.stat(path);
  if (stats !== undefined && !(stats.isFile() && stats.size === 0)) return '/dev/null';
  into.hold(path, 'missing' in found ? dirname(found.missing) : found.path, { kind: 'file' });
  return path;
}

export function isHiddenFile({ access, kind }: Cover): boolean {
  return access === 'hidden' && kind !== 'dir';
}

/** A filesystem mounted in two places shows every file twice. */
export function coverOtherNames(into: Collection, mounts: readonly Mount[]): void {
  for (const cover of into.covers.filter(({ access }) => access !== 'private' && access !== 'writable')) {
    const stats = into.disk.stat(cover.path);
    if (stats === undefined) continue;
    const others = otherNames(cover.path, mounts).filter(
      (path) => path !== cover.path && isSame(stats, into.disk.stat(path)),
    );
    into.covers.push(...others.map((path) => ({ ...cover, path })));
    if (cover.access !== 'readonly' && stats.isFile() && stats.nlink > 1) {
      into.notes.add(`${cover.path} has other names (hard links), which stay in sight`);
    }
  }
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return other?.ino === one.ino && other.dev === one.dev;
}
