import { existsSync, lstatSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clearFirstRelease } from '../../src/launch/own.ts';

function record(kind: 'file' | 'dir', path: string): string {
  const { dev, ino, size, mtimeNs } = lstatSync(path, { bigint: true });
  return `${kind} ${dev} ${ino} ${size} ${mtimeNs} ${path}\0`;
}

describe('what the first release left behind', () => {
  it('is removed where it is unchanged, and the list with it', () => {
    const root = mkdtempSync(join(tmpdir(), 'cordon-first-'));
    const state = join(root, 'state');
    const [folder, inside, changed, kept] = ['.docker', '.docker/config.json', '.zshrc', '.bashrc'].map((one) =>
      join(root, one),
    ) as [string, string, string, string];
    mkdirSync(state);
    mkdirSync(folder);
    for (const file of [inside, changed, kept]) writeFileSync(file, '');
    const list = [record('dir', folder), record('file', inside), record('file', changed)].join('');
    writeFileSync(changed, 'alias x=y\n');
    writeFileSync(join(state, 'sandboxes.lock'), list);
    clearFirstRelease(state);
    expect([folder, changed, kept, join(state, 'sandboxes.lock')].map((path) => existsSync(path))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(existsSync(state)).toBe(true);
  });

  it('a list that says something else removes nothing', () => {
    const state = mkdtempSync(join(tmpdir(), 'cordon-first-'));
    const file = join(state, 'kept');
    writeFileSync(file, '');
    writeFileSync(join(state, 'sandboxes.lock'), `file 1 2 3 4 ${file}\0nonsense\0file ${file}\0`);
    clearFirstRelease(state);
    expect(existsSync(file)).toBe(true);
  });

  it('nothing there is nothing to do', () => {
    expect(() => clearFirstRelease('/nonexistent/state')).not.toThrow();
  });
});
