import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../support/project.ts';

const PROBES = [
  { id: 'environment/keys', group: 'environment', title: 'a key | in the environment' },
  { id: 'files/ssh', group: 'files', title: 'a private key' },
];
const result = (probe: string, launcher: string, status: string) => ({ probe, launcher, status });
const LINE = '/somewhere/of/mine/bin/srt --settings /elsewhere/bench/peers/srt-settings.json --';
const peer = (variant: string, line: string) => ({
  id: 'srt',
  title: 'srt',
  note: 'A note.',
  needs: 'Node',
  variant,
  line,
});

const RESULTS = {
  peers: [peer('default', 'srt --'), peer('configured', LINE)],
  proof: {
    date: '2026-01-02T03:04:05Z',
    machine: { kernel: '6.1.2-x', arch: 'x64', user: 'somebody' },
    launchers: [
      { title: 'nothing', version: null },
      { title: 'cordon', version: '0.1.0' },
      { title: 'srt --', version: '1.2.3' },
      { title: LINE, version: '1.2.3' },
    ],
    probes: PROBES,
    results: [
      ...PROBES.map(({ id }) => result(id, 'nothing', 'leaked')),
      ...PROBES.map(({ id }) => result(id, 'cordon', 'blocked')),
      result('environment/keys', 'srt --', 'leaked'),
      result('files/ssh', 'srt --', 'not applicable'),
      result('environment/keys', LINE, 'leaked'),
      result('files/ssh', LINE, 'blocked'),
    ],
  },
};

/** As `scripts/comparison.mjs` writes it from the results of a run. */
function pageOf(results: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-comparison-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, page] = [join(folder, 'results.json'), join(folder, 'page.md')];
  writeFileSync(file, JSON.stringify(results));
  execFileSync(process.execPath, [join(ROOT, 'scripts/comparison.mjs'), file, page]);
  return readFileSync(page, 'utf8');
}

test('the comparison counts what held of what was tried, and shows every probe under every launcher', () => {
  const page = pageOf(RESULTS);
  expect(page).toContain('| held / tried | nothing | cordon run | srt | srt, configured |');
  expect(page).toContain('| its own environment | 0/1 | 1/1 | 0/1 | 0/1 |');
  expect(page).toContain('| credential files | 0/1 | 1/1 | – | 1/1 |');
  expect(page).toContain('| a key \\| in the environment (`environment/keys`) | ✗ | ✓ | ✗ | ✗ |');
  expect(page).toContain('| a private key (`files/ssh`) | ✗ | ✓ | – | ✓ |');
  expect(page).toContain('Run: 2026-01-02, Linux 6.1 (x64), as an ordinary user.');
});

test('it names no folder of the machine it was made on', () => {
  const page = pageOf(RESULTS);
  expect(page).not.toContain('/somewhere');
  expect(page).not.toContain('/elsewhere');
  expect(page).toContain('srt --settings …/peers/srt-settings.json --');
});
