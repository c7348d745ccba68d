import { expect, test } from 'vitest';
import { runCordon } from '../support/cordon.ts';

const env = { GITHUB_TOKEN: 'v4lue', DATABASE_URL: 'postgres://u:pw4lue@db.example/x', EDITOR: 'vi' };
const run = (...flags: string[]) => runCordon(['run', ...flags, '--dry-run', '--', 'true'], { env });

test("--allow '*' tells what it lets through, by name and by value, and never a value", () => {
  const { stderr } = run('--allow', '*');
  expect(stderr).toContain('allow * lets DATABASE_URL (by its value), GITHUB_TOKEN through');
  expect(stderr).not.toContain('v4lue');
});

test('nothing is said where the guard or a deny holds it back, or where names were given', () => {
  expect(run('--allow', '*', '--guard', 'strip').stderr).not.toContain('through');
  expect(run('--allow', '*', '--deny', '*TOKEN', '--deny', 'DATABASE*').stderr).not.toContain('through');
  expect(run('--allow', 'GITHUB_TOKEN').stderr).not.toContain('through');
});
