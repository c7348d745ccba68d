import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configureGlobal } from 'fast-check';

// One fixed seed for all property tests: CORDON_TEST_SEED=N repeats a run that was printed, or tries another.
const seed = Number(process.env.CORDON_TEST_SEED ?? 20260);

configureGlobal({ seed });

// What one user's part of a test makes, the other's must be able to read, whatever the caller's own umask.
process.umask(0o022);

// As a global set-up of both projects it runs twice in one process; once is enough.
export default function begin(): (() => void) | undefined {
  if (process.env.CORDON_TEST_SEED === String(seed)) return undefined;
  process.env.CORDON_TEST_SEED = String(seed);
  process.stdout.write(`property tests: seed ${seed} (CORDON_TEST_SEED)\n`);
  return useOwnTemporaryFolder();
}

// What the tests leave behind goes with it, whoever made it.
function useOwnTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-ct-'));
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => {
    removeLayers(folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

// Each home has a folder for layers elsewhere, whose name only a file in the home tells.
function removeLayers(folder: string): void {
  const found = execFileSync('find', [folder, '-type', 'f', '-name', 'layers'], { encoding: 'utf8' });
  for (const file of found.split('\n').filter(Boolean)) {
    const [name = ''] = readFileSync(file, 'utf8').split('\n');
    if (/^\/var\/tmp\/cordon-[0-9a-f]{32}$/.test(name)) rmSync(name, { recursive: true, force: true });
  }
}
