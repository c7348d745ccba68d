import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from '../../src/host/lock.ts';
import { parseConfig } from '../../src/tools/config/read.ts';
import { cordonProgram } from '../support/cordon.ts';
import { ROOT } from '../support/project.ts';
import { ToolBox } from './support.ts';

const EDITS = 50;

test('fifty edits at the same time: none is lost, and the shim fits the file', { timeout: 300_000 }, async () => {
  const box = new ToolBox();
  box.did('tool', 'add', 'env');
  const codes = await Promise.all(
    Array.from({ length: EDITS }, async (_, i) => {
      const edit = i % 2 === 0 ? ['allow', `ALLOWED_${i}`] : ['deny', `DENIED_${i}`, '--except', `EXCEPT_${i}`];
      const child = spawn(cordonProgram(), ['tool', 'config', 'env', 'env', ...edit], {
        env: { ...box.env },
        stdio: 'ignore',
      });
      return (await once(child, 'close'))[0];
    }),
  );
  expect(codes).toEqual(Array.from({ length: EDITS }, () => 0));
  const tool = parseConfig('cordon.toml', box.policy()).tools.get('env');
  expect(tool?.allow.map(({ pattern }) => pattern.source).sort()).toEqual(numbered('ALLOWED_', 0));
  expect(tool?.deny.map(({ pattern }) => pattern.source).sort()).toEqual(numbered('DENIED_', 1));
  const before = box.shim('env');
  expect(box.start('env').code).toBe(0);
  expect(box.shim('env')).toBe(before);
  expect(readdirSync(box.cordonHome).sort()).toEqual(['bin', 'cordon.toml', 'launcher', 'state']);
});

function numbered(prefix: string, from: number): string[] {
  return Array.from({ length: EDITS / 2 }, (_, i) => `${prefix}${from + 2 * i}`).sort();
}

/** Takes the lock, says so, and holds it until it is killed. */
const HOLDER = `
import { withLock } from '${ROOT}/src/host/lock.ts';
withLock(process.argv[2], () => {
  process.stdout.write('held');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
`;

test('whoever was killed while holding the lock, or while choosing, keeps nobody waiting', async () => {
  const box = new ToolBox();
  box.did('tool', 'add', 'env');
  const lock = join(box.cordonHome, '.cordon.toml.lock');
  const script = box.write(join(box.home, 'holder.ts'), HOLDER);
  const holder = spawn(process.execPath, ['--import', join(ROOT, 'scripts/ts.mjs'), script, lock], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  holder.kill('SIGKILL');
  await once(holder, 'close');
  const namespace = /\d+/.exec(readdirSync(lock)[0]?.split('-').at(-1) ?? '')?.[0];
  writeFileSync(join(lock, `choosing.${holder.pid}-1-${namespace}`), '');
  expect(box.cordon(['tool', 'config', 'env', 'env', 'base', 'none']).code).toBe(0);
  expect(readdirSync(box.cordonHome)).not.toContain('.cordon.toml.lock');
});

/** Makes the folder of the lock and takes it away, over and over, as those do who come and leave. */
const COMER_AND_GOER = `
import { mkdirSync, rmdirSync } from 'node:fs';
process.stdout.write('begun');
for (;;) for (const act of [mkdirSync, rmdirSync]) try { act(process.argv[2]); } catch {}
`;

test('the lock is had although others take its folder away at any moment', async () => {
  const box = new ToolBox();
  const lock = join(box.home, 'lock');
  const other = spawn(process.execPath, [box.write(join(box.home, 'other.mjs'), COMER_AND_GOER), lock], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  try {
    for (let i = 0; i < 200; i++) expect(withLock(lock, () => i)).toBe(i);
  } finally {
    other.kill('SIGKILL');
    await once(other, 'close');
  }
});

test('while one holds the lock the others wait', async () => {
  const box = new ToolBox();
  const folder = join(box.home, 'lock');
  const log = join(box.home, 'log');
  const script = box.write(
    join(box.home, 'worker.ts'),
    `import { appendFileSync } from 'node:fs';
import { withLock } from '${ROOT}/src/host/lock.ts';
for (let i = 0; i < 20; i++) withLock(process.argv[2], () => {
  appendFileSync(process.argv[3], 'in ');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  appendFileSync(process.argv[3], 'out ');
});
`,
  );
  mkdirSync(folder);
  const workers = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--import', join(ROOT, 'scripts/ts.mjs'), script, folder, log], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const codes = await Promise.all(workers.map(async (worker) => (await once(worker, 'close'))[0]));
  expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
  expect(readFileSync(log, 'utf8')).toBe('in out '.repeat(120));
});
