import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CordonError } from '../../../src/host/errors.ts';
import { checkTrust, readPolicyFile } from '../../../src/policy/load/read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'cordon-read-file-'));

function file(name: string, content: string | Buffer = '{}', mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function refusal(path: string): CordonError {
  try {
    readPolicyFile(path);
  } catch (error) {
    if (error instanceof CordonError && error.kind === 'policy') return error;
    throw error;
  }
  throw new Error(`${path} was read`);
}

describe('what is no policy file', () => {
  test('a missing one', () => expect(refusal(join(folder, 'none.json')).message).toContain('does not exist'));
  test('one below a file', () =>
    expect(refusal(join(file('plain.json'), 'x.json')).message).toContain('does not exist'));
  test('a folder', () => expect(refusal(folder).message).toContain('is a folder'));
  test('a device', () => expect(refusal('/dev/null').message).toContain('not a regular file'));
  test('not UTF-8', () =>
    expect(refusal(file('latin.json', Buffer.from([0x7b, 0xe4, 0x7d]))).message).toContain('not UTF-8'));
  test('binary', () => expect(refusal(file('binary.json', '{"a": "\0"}')).message).toContain('binary'));
  test('empty', () => expect(refusal(file('empty.json', '')).message).toContain('empty'));

  test('a FIFO, without waiting for a writer', () => {
    const path = join(folder, 'fifo.json');
    execFileSync('mkfifo', [path]);
    expect(refusal(path).message).toContain('not a regular file');
  });

  test('ten megabytes', () => {
    const path = file('big.json');
    truncateSync(path, 10 * 1024 * 1024);
    expect(refusal(path).message).toContain('larger than 1 MiB');
  });

  test('one byte too many, but not one less', () => {
    expect(readPolicyFile(file('most.json', 'x'.repeat(1024 * 1024)))).toHaveLength(1024 * 1024);
    expect(refusal(file('more.json', 'x'.repeat(1024 * 1024 + 1))).message).toContain('larger than');
  });
});

describe('a file that another user could have written', () => {
  test.each([0o620, 0o602, 0o666, 0o777, 0o664])('mode %o', (mode) => {
    expect(refusal(file(`mode${mode}.json`, '{}', mode)).message).toContain('another user could have written');
  });

  test.each([0o600, 0o644, 0o444, 0o400])('but mode %o is fine', (mode) => {
    expect(readPolicyFile(file(`fine${mode}.json`, '{}', mode))).toBe('{}');
  });

  test('through a link: the file it leads to counts', () => {
    symlinkSync(file('target.json', '{}', 0o666), join(folder, 'link.json'));
    expect(refusal(join(folder, 'link.json')).message).toContain('another user could have written');
  });

  test('a folder above that everyone may write to', () => {
    const open = join(folder, 'open');
    mkdirSync(join(open, 'inner'), { recursive: true });
    writeFileSync(join(open, 'inner', 'p.json'), '{}', { mode: 0o600 });
    chmodSync(open, 0o777);
    const error = refusal(join(open, 'inner', 'p.json'));
    expect(error.message).toContain('lets others replace it');
    expect(error.hint).toContain(`chmod go-w ${open}`);
    chmodSync(open, 0o1777);
    expect(readPolicyFile(join(open, 'inner', 'p.json'))).toBe('{}');
  });

  test('another owner of the file', () => {
    const us = process.geteuid?.() ?? 0;
    expect(() => checkTrust(file('owned.json'), { uid: us + 1, mode: 0o600 })).toThrow(`belongs to user id ${us + 1}`);
  });

  test('another owner of a folder above', () => {
    const theirs = join(folder, 'theirs');
    mkdirSync(theirs);
    const path = join(theirs, 'p.json');
    writeFileSync(path, '{}', { mode: 0o600 });
    const us = process.geteuid?.() ?? 0;
    // Root can give the folder away; anyone else looks at it as someone else.
    if (us === 0) chownSync(theirs, 12345, 12345);
    const reader = us === 0 ? 0 : us + 1;
    expect(() => checkTrust(path, { uid: reader, mode: 0o600 }, reader)).toThrow(
      `belongs to user id ${us === 0 ? 12345 : us}`,
    );
  });
});
