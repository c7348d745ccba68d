import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

test('launchers that can be told a list of hosts stand beside each other in a part of their own', () => {
  const line = '/usr/bin/node /elsewhere/bench/peers/named.mjs srt default';
  const named = {
    peers: [peer('default', line)],
    proof: {
      ...RESULTS.proof,
      launchers: [{ title: 'nothing' }, { title: 'cordon' }, { title: line }],
      probes: [{ id: 'broker/twice', group: 'broker', title: 'a second copy' }],
      results: [
        result('broker/twice', 'nothing', 'leaked'),
        result('broker/twice', 'cordon', 'blocked'),
        result('broker/twice', line, 'leaked'),
      ],
    },
  };
  const page = pageOf({ ...RESULTS, named });
  expect(page).toContain('| held / tried | nothing | cordon run --net HOST --broker | srt |');
  expect(page).toContain('| brokered credentials | 0/1 | 1/1 | 0/1 |');
  expect(page).toContain('/usr/bin/node …/peers/named.mjs srt default');
  expect(pageOf(RESULTS)).not.toContain('With a list of hosts');
});

test('names of a probe lead a peer that runs in Node where the probe says, also when it dials the address again', async () => {
  const server = createServer((one) => one.end('there')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const script = `
const dial = (options) => new Promise((done) => {
  require('node:net').connect(options).on('data', (data) => done(String(data))).on('error', ({ code }) => done(code));
});
(async () => {
  console.log(await dial({ host: 'api.example.test', port: 443 }));
  console.log(await dial({ host: '127.0.0.1', port: 443, servername: 'api.example.test' }));
  console.log((await require('node:dns').promises.lookup('api.example.test')).address);
})()`;
  const words = ['--require', join(ROOT, 'bench/peers/names.cjs'), '-e', script];
  const env = {
    ...process.env,
    NAMED_HOSTS: `api.example.test:443=127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  expect(stdout).toBe('there\nthere\n127.66.0.1\n');
});

test('it names no folder of the machine it was made on', () => {
  const page = pageOf(RESULTS);
  expect(page).not.toContain('/somewhere');
  expect(page).not.toContain('/elsewhere');
  expect(page).toContain('srt --settings …/peers/srt-settings.json --');
});
