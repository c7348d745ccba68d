import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { BUILDS, run, shim } from './support.ts';

describe.each(BUILDS)('data, with the %s build,', (build) => {
  const fileWith = (text: string) => {
    const path = join(openFolder('data'), 'file');
    writeFileSync(path, text);
    return path;
  };

  it('stands at its path, cannot be written, and leaves the host alone', () => {
    const path = fileWith('of the host\n');
    const plan = shim({ build, isolation: 'barrier', lines: [`data ${path} of\\sthe\\splan\\n`] });
    const { stdout } = run(plan, [
      '-c',
      `cat ${path}; echo more 2>/dev/null >> ${path}; rm -f ${path} 2>/dev/null; cat ${path}`,
    ]);
    expect(stdout).toBe('of the plan\nof the plan\n');
    expect(readFileSync(path, 'utf8')).toBe('of the host\n');
  });

  it('can be many files, of any bytes and sizes, and no descriptor of them is left', () => {
    const big = 'x'.repeat(300_000);
    const paths = Array.from({ length: 40 }, () => fileWith('host'));
    const lines = paths.map((path, i) => `data ${path} ${i === 0 ? big : `\\xff\\x01${i}\\n\\e`.replace('\\e', '')}`);
    const plan = shim({ build, isolation: 'barrier', lines: [...lines, `data ${fileWith('host')} \\e`] });
    const script = `wc -c < ${paths[0]}; od -An -c ${paths[39]}; ls /proc/self/fd | wc -l`;
    const { stdout, stderr } = run(plan, ['-c', script]);
    expect([stdout.replace(/ +/g, ' '), stderr]).toEqual(['300000\n 377 001 3 9 \\n\n4\n', '']);
  });

  it('may be only for what is there', () => {
    const path = fileWith('of the host\n');
    const absent = `${path}-absent`;
    const lines = [`try-data ${path} of\\sthe\\splan\\n`, `try-data ${absent} x`];
    const { stdout } = run(shim({ build, isolation: 'barrier', lines }), ['-c', `cat ${path}; ls ${absent} 2>&1`]);
    expect(stdout).toMatch(/^of the plan\n.*No such file/);
  });

  it('of certificates is put together from what is there and not hidden, and holds nothing else', () => {
    const block = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
    const [one, two] = [fileWith(`a key\n${block('one')}more\n`), fileWith(block('two'))];
    const hidden = fileWith(block('hidden'));
    const [linked, target] = [`${one}-link`, fileWith('')];
    symlinkSync(hidden, linked);
    const line = `certificates ours\\n ${[target, one, two, linked, one, '/nowhere/at/all'].join(' ')}`;
    const plan = shim({ build, isolation: 'barrier', lines: [`hide ${hidden}`, line] });
    const whole = `${block('one')}${block('two')}ours\n`;
    const { stdout } = run(plan, ['-c', `cat ${target} ${one} ${two}; cat ${linked} 2>/dev/null || echo held`]);
    expect(stdout).toBe(`${whole}${whole}${whole}held\n`);
    expect(readFileSync(two, 'utf8')).toBe(block('two'));
  });

  it('means nothing to a filter', () => {
    const path = fileWith('of the host\n');
    expect(run(shim({ build, isolation: 'filter', lines: [`data ${path} x`] }), ['-c', `cat ${path}`]).stdout).toBe(
      'of the host\n',
    );
  });
});
