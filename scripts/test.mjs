// Types, lint, unused code, then all tests; the last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECKS = {
  types: ['tsc', '--noEmit'],
  'types of the page': ['tsc', '--noEmit', '--project', 'src/ui/page'],
  lint: ['biome', 'check', '--error-on-warnings'],
  unused: ['knip'],
};

const total = { passed: 0, failed: 0 };

function run(name, command) {
  process.stdout.write(`\n── ${name}\n`);
  const [program, ...args] = command;
  return (
    spawnSync(join('node_modules', '.bin', program), args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
  );
}

function countChecks() {
  for (const [name, command] of Object.entries(CHECKS)) total[run(name, command) ? 'passed' : 'failed'] += 1;
}

function readCounts(file) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

// A file that does not load and an error outside of any test fail the run without a failed test: they count as one.
function countTests(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-test-'));
  const results = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  // Whoever names files wants the whole of them.
  if (filters.length > 0) process.env.CORDON_TEST_ALL = '1';
  const succeeded = run('tests', ['vitest', 'run', ...reporters, ...filters]);
  const { passed, failed } = readCounts(results);
  rmSync(folder, { recursive: true });
  total.passed += passed;
  total.failed += succeeded ? failed : Math.max(failed, 1);
}

countChecks();
countTests(process.argv.slice(2));
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
