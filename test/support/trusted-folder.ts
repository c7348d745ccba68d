import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const made: string[] = [];

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that no command of the tests could write: Cordon starts no program of its own from below /tmp or from a workspace. */
export function trustedFolder(name: string): string {
  const parent = process.getuid?.() === 0 ? '/var/lib' : userInfo().homedir;
  const folder = mkdtempSync(join(parent, `.cordon-${name}-`));
  made.push(folder);
  chmodSync(folder, 0o755);
  return folder;
}

/** The stand-ins of password managers and of the keyring's helper, where Cordon starts them from. */
export function trustedHelpers(): string {
  const folder = trustedFolder('helpers');
  cpSync(fileURLToPath(new URL('../secrets/fixtures', import.meta.url)), folder, { recursive: true });
  return folder;
}
