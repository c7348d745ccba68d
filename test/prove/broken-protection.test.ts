import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshHome, installedPackage, runAs } from '../support/cordon.ts';
import { ROOT } from '../support/project.ts';
import { USERS } from '../support/users.ts';

const ONLY = ['files/ssh', 'environment/cloud-keys'];
// In the package, where the launcher is found beside it.
const bundle = () => join(installedPackage(), 'dist/broken-protection.mjs');

beforeAll(() => {
  buildSync({
    ...{ entryPoints: [join(ROOT, 'test/prove/broken-protection.ts')], outfile: bundle(), bundle: true },
    ...{ format: 'esm', platform: 'node', target: 'node20', mainFields: ['module', 'main'], logLevel: 'error' },
  });
});

describe.each(USERS)('as %s', (user) => {
  const run = (format: string, lost: string) => {
    const home = freshHome(user);
    const ran = runAs(process.execPath, [bundle(), home, format, lost, ...ONLY], { user, home });
    expect(readdirSync(home)).toEqual([]);
    return ran;
  };

  it('a plan that has all its lines holds', () => {
    const { code, stdout } = run('text', '');
    expect(stdout).toContain('cordon held what the policy promises: 2 ways blocked');
    expect(code).toBe(0);
  });

  it('a plan that shows ~/.ssh is found out', () => {
    const { code, stdout } = run('text', '/.ssh');
    expect(stdout).toMatch(/\nfiles +1 +1 leaked +1 leaked\n/);
    expect(stdout).toMatch(
      /Leaked, although the policy promises to hold it\n {2}files\/ssh {2}.*\n {4}gives .*\n {4}tried .*\n {4}see .*\n/,
    );
    expect(stdout).toContain('cordon let 1 way through that the policy promises to hold; 1 blocked');
    expect(code).toBe(1);
  });

  it('in SARIF it is an error', () => {
    const { code, stdout } = run('sarif', '/.ssh');
    const [{ results }] = JSON.parse(stdout).runs;
    expect(results).toEqual([expect.objectContaining({ ruleId: 'files/ssh', level: 'error' })]);
    expect(code).toBe(1);
  });
});
