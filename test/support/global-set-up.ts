import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// The same set-up as scripts/test, so that `npx vitest run FILE` never tests a stale build.
export default function setUp(): void {
  execFileSync(fileURLToPath(new URL('../../scripts/set-up', import.meta.url)), ['--for-tests'], { stdio: 'inherit' });
}
