import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { BUILDS, Running, run, shim } from './support.ts';

describe.each(BUILDS)('placeholders, with the %s build,', (build) => {
  const setUp = () => {
    const folder = openFolder('places');
    const lines = [
      'allow PATH',
      `lock ${folder}/lock`,
      `placeholder dir ${folder}/dir`,
      `placeholder file ${folder}/dir/inner`,
      `placeholder file ${folder}/file made\\sup`,
    ];
    return { folder, lines, path: shim({ build, isolation: 'barrier', lines }) };
  };

  it('are there while the command runs, and gone afterwards', () => {
    const { folder, path } = setUp();
    const { code, stdout } = run(path, ['-c', `cat ${folder}/file; test -f ${folder}/dir/inner && echo .`]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'made up.\n' });
    expect(existsSync(join(folder, 'dir'))).toBe(false);
    expect(existsSync(join(folder, 'file'))).toBe(false);
    expect(statSync(join(folder, 'lock')).size).toBe(0);
  });

  it('stay while another sandbox runs, and the last one removes them', async () => {
    const { folder, path } = setUp();
    const first = new Running(path, ['-c', 'echo ready; read line']);
    await first.says(/ready/);
    const second = new Running(path, ['-c', 'echo ready; read line']);
    await second.says(/ready/);
    first.child.stdin.end('\n');
    await first.ended;
    expect(existsSync(join(folder, 'file'))).toBe(true);
    second.child.stdin.end('\n');
    await second.ended;
    expect(existsSync(join(folder, 'file'))).toBe(false);
    expect(existsSync(join(folder, 'dir'))).toBe(false);
  });

  it('of a launcher that was killed are removed by the next', async () => {
    const { folder, path } = setUp();
    const first = new Running(path, ['-c', 'echo ready; read line']);
    await first.says(/ready/);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(existsSync(join(folder, 'file'))).toBe(true);
    run(path, ['-c', 'true']);
    expect(existsSync(join(folder, 'file'))).toBe(false);
  });

  it('that were there before, changed meanwhile or filled are left alone', () => {
    const { folder, path } = setUp();
    mkdirSync(join(folder, 'dir'));
    run(path, ['-c', `echo mine >${folder}/file`]);
    expect(existsSync(join(folder, 'dir'))).toBe(true);
    expect(existsSync(join(folder, 'dir/inner'))).toBe(false);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine\n');
    const other = setUp();
    run(other.path, [
      '-c',
      `echo x >${other.folder}/dir/more; rm ${other.folder}/file; ln -s /etc/passwd ${other.folder}/file`,
    ]);
    expect(existsSync(join(other.folder, 'dir/more'))).toBe(true);
    expect(existsSync(join(other.folder, 'file'))).toBe(true);
  });

  it('that cannot be made stop the start', () => {
    const folder = openFolder('places');
    const path = shim({
      build,
      isolation: 'barrier',
      lines: [`lock ${folder}/lock`, `placeholder file ${folder}/no/such`],
    });
    expect(run(path, ['-c', 'echo ran'])).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('cannot be covered'),
    });
  });

  it('need a lock that is a file of this user', () => {
    const folder = openFolder('places');
    writeFileSync(join(folder, 'target'), '');
    symlinkSync(join(folder, 'target'), join(folder, 'lock'));
    const path = shim({ build, isolation: 'barrier', lines: [`lock ${folder}/lock`, `placeholder dir ${folder}/x`] });
    expect(run(path, ['-c', 'echo ran'])).toMatchObject({ code: 125, stdout: '' });
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('a list that others left full of rubbish removes nothing', () => {
    const { folder, path } = setUp();
    writeFileSync(join(folder, 'kept'), 'x');
    writeFileSync(join(folder, 'lock'), `file 1 2 3 4 ${folder}/kept\0dir 0 0 ${folder}\0\0rubbish\0`, { mode: 0o600 });
    expect(run(path, ['-c', 'true']).code).toBe(0);
    expect(existsSync(join(folder, 'kept'))).toBe(true);
  });
});
