import { describe, expect, test } from 'vitest';
import { shrink, shuffled } from '../../src/tools/suggest.ts';
import { ToolBox } from './support.ts';

const forever = { isTimeUp: () => false };

describe('shrinking', () => {
  test.each([[[]], [['a']], [['a', 'z']], [['c', 'm', 'x']]])('finds exactly what is needed: %j', async (needed) => {
    const all = [...'abcdefghijklmnopqrstuvwxyz'];
    for (const seed of [1, 2, 3]) {
      const found = await shrink(shuffled(all, seed), {
        ...forever,
        isEnough: async (some) => needed.every((one) => some.includes(one)),
      });
      expect([...found].sort()).toEqual(needed);
    }
  });

  test('either of two: one is left, and nothing in the result can be left out', async () => {
    const isEnough = async (some: readonly string[]) => some.includes('a') || some.includes('b');
    expect((await shrink([...'abcdef'], { ...forever, isEnough })).length).toBe(1);
  });

  test('when time is up, what is left is still enough', async () => {
    let runs = 0;
    const isEnough = async (some: readonly number[]) => {
      runs += 1;
      return [3, 500, 900].every((one) => some.includes(one));
    };
    const all = Array.from({ length: 1000 }, (_, i) => i);
    const found = await shrink(all, { isEnough, isTimeUp: () => runs >= 8 });
    expect(found).toEqual(expect.arrayContaining([3, 500, 900]));
    expect(runs).toBeLessThanOrEqual(9);
  });

  test('the same seed gives the same order', () => {
    expect(shuffled([...'abcdefgh'], 7)).toEqual(shuffled([...'abcdefgh'], 7));
    expect(shuffled([...'abcdefgh'], 7)).not.toEqual(shuffled([...'abcdefgh'], 8));
    expect(shuffled([...'abcdefgh'], 7).sort()).toEqual([...'abcdefgh']);
  });
});

function boxWithTool(script: string): ToolBox {
  const box = new ToolBox();
  box.tool('picky', `#!/bin/sh\n${script}\n`);
  return box;
}

const MANY = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`OTHER_${i}`, String(i)]));

test('the smallest policy, as lines for cordon.toml that work', () => {
  const box = boxWithTool('echo "$NEEDED_A-$NEEDED_B"; exit 3');
  const env = { ...MANY, NEEDED_A: 'a', NEEDED_B: 'b', LD_PRELOAD_X: 'x' };
  const { code, stdout, stderr } = box.cordon(['tool', 'suggest', '--', 'picky', 'an argument'], env);
  expect(code).toBe(0);
  expect(stderr).toContain('the command ends with 3');
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^# needs 2 of \d+ variables \(found in \d+ runs\)$/);
  expect(lines.slice(1)).toEqual(['[tools.picky]', 'env_base = "none"', 'env_allow = ["NEEDED_A", "NEEDED_B"]', '']);
  box.folder(box.cordonHome);
  box.write(box.config, stdout);
  box.did('tool', 'apply');
  expect(box.start('picky', [], { ...box.env, ...env })).toEqual({ code: 3, stdout: 'a-b\n', stderr: '' });
});

test('deterministic with a seed', () => {
  const box = boxWithTool('[ -n "$A" ] && echo "$A" || echo "$B"');
  const env = { ...MANY, A: 'same', B: 'same' };
  const runs = [1, 1, 2, 2].map(
    (seed) => box.cordon(['tool', 'suggest', '--seed', String(seed), '--json', 'picky'], env).stdout,
  );
  expect(runs[0]).toBe(runs[1]);
  expect(runs[2]).toBe(runs[3]);
  expect(JSON.parse(runs[0] as string)).toMatchObject({
    tool: 'picky',
    env_base: 'none',
    complete: true,
    stderrIgnored: false,
  });
});

test('a command that needs nothing', () => {
  const box = boxWithTool('echo hello');
  expect(box.cordon(['tool', 'suggest', 'picky'], MANY).stdout).toMatch(
    /^# needs 0 of \d+ variables \(found in 3 runs\)\n\[tools\.picky\]\nenv_base = "none"\n$/,
  );
});

test('output that differs from run to run', () => {
  const unsteady = boxWithTool('date +%N');
  expect(unsteady.cordon(['tool', 'suggest', 'picky'])).toMatchObject({
    code: 125,
    stdout: '',
    stderr: expect.stringContaining('two runs with the same variables gave different results'),
  });
  const onlyStderr = boxWithTool('date +%N >&2; echo "$A"');
  const { stdout, stderr } = onlyStderr.cordon(['tool', 'suggest', 'picky'], { A: '1' });
  expect(stdout).toContain('env_allow = ["A"');
  expect(stderr).toContain('standard error differs from run to run');
});

test('time is bounded', () => {
  const box = boxWithTool('sleep 30');
  const started = Date.now();
  expect(box.cordon(['tool', 'suggest', '--time', '1', 'picky'])).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('did not end within 1 s'),
  });
  expect(Date.now() - started).toBeLessThan(20_000);
});

test('its own shim is not what is tried', () => {
  const box = boxWithTool('echo "$SECRET"');
  box.did('tool', 'config', 'picky', 'env', 'base', 'none');
  expect(box.cordon(['tool', 'suggest', 'picky'], { SECRET: 'x' }).stdout).toContain('env_allow = ["SECRET"');
});
