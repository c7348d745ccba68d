import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';

describe('a working folder that was removed meanwhile', () => {
  const commands = [
    'run -- env',
    'run --credential K=env://X -- env',
    'run --profile ./x.json -- env',
    'explain',
    'check',
    'agent run generic -- env',
    'tool suggest -- env',
  ];
  test.each(commands)('cordon %s says so and what to do, with exit code 125', (words) => {
    const home = freshHome('root');
    mkdirSync(join(home, 'gone'));
    const script = `cd ${home}/gone && rmdir ${home}/gone && exec ${cordonProgram()} ${words}`;
    const { code, stdout, stderr } = runAs('/bin/sh', ['-c', script], { home });
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(/the working folder is gone[\s\S]*cd ~/);
    expect(stderr).not.toMatch(/unexpected|defect|uv_cwd/);
  });
});
