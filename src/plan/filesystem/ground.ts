import { readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { FilesystemPolicy } from '../../policy/policy.ts';
import type { Collection } from './collect.ts';
import { isWithin } from './paths.ts';
import { ETC_ENTRIES, SYSTEM_FOLDERS } from './system.ts';

/** The host's own root, or one built up from nothing. */
export function groundOf(into: Collection, { preset, read, write, expose }: FilesystemPolicy): string[][] {
  if (read.includes('/')) return [['--ro-bind', '/', '/']];
  const host = preset === 'all' || preset === 'guarded' || write.includes('/') || expose.includes('/');
  return host ? [['--bind', '/', '/']] : builtRoot(into);
}

function builtRoot(into: Collection): string[][] {
  const system = SYSTEM_FOLDERS.flatMap((path) => entry(into, path));
  const etc = ETC_ENTRIES.flatMap((name) => into.disk.expand('/etc', name)).flatMap((path) => entry(into, path));
  const scratch = ['/tmp', '/var/tmp', '/run'].flatMap((path) => [
    ['--perms', path === '/run' ? '0755' : '1777', '--tmpfs', path],
  ]);
  const targets = etc.filter(([option, source = '']) => option === '--ro-bind' && isWithin(source, '/run'));
  return [...system, ...scratch, ...etc.filter((one) => !targets.includes(one)), ...targets];
}

function entry(into: Collection, path: string): string[][] {
  const stats = into.disk.stat(path);
  if (stats === undefined) return [];
  if (!stats.isSymbolicLink()) return [['--ro-bind', path, path]];
  const target = readlinkSync(path);
  const next = resolve(dirname(path), target);
  if (isWithin(next, '/proc')) return [['--symlink', target, path]];
  const real = into.disk.existing(path)?.path;
  if (real === undefined) return [];
  if (next !== real) return [['--ro-bind', real, path]];
  const there = SYSTEM_FOLDERS.some((folder) => isWithin(real, folder)) || isWithin(real, '/etc');
  return [['--symlink', target, path], ...(there ? [] : [['--ro-bind', real, real]])];
}
