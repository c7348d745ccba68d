import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Collection, Saying } from './collect.ts';

const SAYING: Saying = { access: 'readonly', speaker: 'preset', why: 'Git reads commands from it' };
const POINTERS = /^\s*(hookspath|templatedir|path|attributesfile)\s*=\s*"?([^"\n]*?)"?\s*$/gim;

/** What the global configuration points at: hooks, templates, further files. */
export function freezeGitPointers(into: Collection): void {
  for (const home of into.homes) {
    for (const file of ['.gitconfig', '.config/git/config']) {
      const found = into.disk.existing(join(home, file), home);
      const text = found?.kind === 'file' ? (into.disk.read(found.path) ?? '') : '';
      for (const [, key = '', value = ''] of text.matchAll(POINTERS))
        freezePointer(into, home, dirname(join(home, file)), key.toLowerCase(), value);
    }
  }
}

function freezePointer(into: Collection, home: string, folder: string, key: string, value: string): void {
  const path = value.startsWith('~/') ? join(home, value.slice(2)) : resolve(folder, value);
  if (value === '' || value.startsWith('%(') || (key === 'hookspath' && !isAbsolute(value) && !value.startsWith('~/')))
    return;
  freezeOrOccupy(into, path, key === 'hookspath' || key === 'templatedir' ? 'dir' : 'file');
}

/** The hooks of the repository around the workspace. Its config file stays writable: ordinary Git commands write it. */
export function freezeRepositoryHooks(into: Collection, workspace: string): void {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const dot = into.disk.existing(join(folder, '.git'));
    const repository = dot?.kind === 'file' ? linkedRepository(into, dot.path) : dot?.path;
    const found = repository !== undefined && into.disk.stat(join(repository, 'HEAD')) !== undefined;
    if (found) freezeOrOccupy(into, join(repository, 'hooks'), 'dir');
    if (found || folder === '/') return;
  }
}

/** A worktree or submodule has a file that says where the repository is; worktrees share the hooks of the main one. */
function linkedRepository(into: Collection, file: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(into.disk.read(file) ?? '')?.[1];
  if (target === undefined) return undefined;
  const own = resolve(dirname(file), target.trim());
  const common = into.disk.read(join(own, 'commondir'))?.trim();
  return into.disk.existing(common === undefined ? own : resolve(own, common))?.path;
}

function freezeOrOccupy(into: Collection, path: string, kind: 'file' | 'dir'): void {
  const found = into.disk.find(path);
  if ('missing' in found) into.occupy(path, found, { ...SAYING, empty: kind === 'dir' }, { kind });
  else {
    into.coverFound(found, SAYING);
    if (found.kind === 'dir' && found.link === undefined) into.hold(path, dirname(path), { kind: 'dir' });
  }
}
