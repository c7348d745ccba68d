import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addFile, replaceFile, writeBeside } from '../../src/host/whole-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-whole-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe('replaceFile', () => {
  it('leaves the old one to who has it open, and nothing beside', () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'old');
    const reader = openSync(path, 'r');
    replaceFile(path, 'new');
    expect([readFileSync(reader, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['old', 'new']);
    closeSync(reader);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it.each([0o600, 0o666, 0o755])('gives it the mode %o, whatever the umask', (mode) => {
    const path = join(folder, 'file');
    const before = process.umask(0o077);
    replaceFile(path, 'x', { mode });
    process.umask(before);
    expect(modeOf(path)).toBe(mode);
  });

  it('takes the place of a link and writes through none', () => {
    const [path, target] = [join(folder, 'link'), join(folder, 'target')];
    writeFileSync(target, 'as it was');
    symlinkSync(target, path);
    replaceFile(path, 'new');
    expect([lstatSync(path).isFile(), readFileSync(target, 'utf8')]).toEqual([true, 'as it was']);
  });

  it.each(['ready', 'last'] as const)('leaves everything as it was when %s fails', (step) => {
    const path = join(folder, 'file');
    writeFileSync(path, 'old');
    const fails = () => {
      throw new Error('no');
    };
    expect(() => replaceFile(path, 'new', { [step]: fails })).toThrow('no');
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['file']]);
  });

  it('takes a name as long as a name can be, and one that is no text', () => {
    for (const path of [
      join(folder, 'x'.repeat(255)),
      Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]),
    ]) {
      replaceFile(path, 'x');
      expect(readFileSync(path, 'utf8')).toBe('x');
    }
    expect(readdirSync(folder)).toHaveLength(2);
  });
});

describe('addFile', () => {
  it('never takes the place of another', () => {
    const path = join(folder, 'file');
    expect([addFile(path, 'first'), addFile(path, 'second')]).toEqual([true, false]);
    expect([readFileSync(path, 'utf8'), readdirSync(folder), modeOf(path)]).toEqual(['first', ['file'], 0o600]);
  });
});

it('writeBeside says what stat will say in its place', () => {
  const { path, stats } = writeBeside(join(folder, 'file'), 'x', { mode: 0o640 });
  expect(stats).toEqual(statSync(path, { bigint: true }));
});
