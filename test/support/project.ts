import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A new folder that other users may enter. */
export function openFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `cordon-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

const copies = new Map<string, string>();

/** A file or folder where every user may read it: the checkout may lie in a folder that only its owner may enter, as /root is. */
export function openCopy(path: string): string {
  const known = copies.get(path);
  if (known !== undefined) return known;
  const copy = join(openFolder('copy'), basename(path));
  cpSync(path, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  copies.set(path, copy);
  return copy;
}

const MADE_BY_SET_UP = new Set(['node_modules', 'dist', '.git']);

/** A checkout of its own, not set up yet; the npm packages are those of this one, and what the compiler made is there already. */
export function copyCheckout(packages = join(ROOT, 'node_modules')): string {
  const folder = openFolder('checkout');
  for (const entry of readdirSync(ROOT).filter((name) => !MADE_BY_SET_UP.has(name)))
    cpSync(join(ROOT, entry), join(folder, entry), { recursive: true, preserveTimestamps: true });
  symlinkSync(packages, join(folder, 'node_modules'));
  return folder;
}
