import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { carriedOver, fileDiff, linesIn, stepsBetween } from '../../src/changes/diff.ts';
import type { Bytes } from '../../src/host/bytes.ts';

const line = fc.oneof(fc.constantFrom('a', 'b', 'c', '', '-- x', '++ y', '\\ z'), fc.string({ maxLength: 6 }));
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.map((one) => one.replaceAll(/[\n\0]/g, '')).join('\n') + (ends ? '\n' : ''));

it('the steps lead from the old lines to the new ones', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [before, after] = [linesIn(one), linesIn(other)];
      const steps = stepsBetween(before, after);
      expect(steps.filter(({ kind }) => kind !== 'add').map(({ at }) => before[at])).toEqual(before);
      expect(
        steps.filter(({ kind }) => kind !== 'remove').map(({ kind, at }) => (kind === 'add' ? after[at] : before[at])),
      ).toEqual(after);
    }),
  );
});

it('git apply makes the new file of the old one, text or not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-diff-'));
  const bytes = fc.oneof(
    text.map((one) => Buffer.from(one)),
    fc.uint8Array({ maxLength: 300 }).map((one) => Buffer.from(one)),
  );
  fc.assert(
    fc.property(bytes, bytes, (before, after) => {
      const diff = fileDiff('x y' as Bytes, { content: before, mode: 0o644 }, { content: after, mode: 0o644 });
      writeFileSync(join(folder, 'x y'), before);
      if (diff !== '') execFileSync('git', ['apply', '--unsafe-paths', '-'], { cwd: folder, input: diff });
      expect(readFileSync(join(folder, 'x y'))).toEqual(after);
    }),
    { numRuns: 60 },
  );
});

it('lines that differ too much are replaced whole, in time', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word}${i}\n`);
  expect(stepsBetween(many('a'), many('b'))).toHaveLength(40_000);
});

it('lines that the command never saw stay in the real file', () => {
  const carried = (real: string, copy: string, now: string) =>
    carriedOver(...([real, copy, now].map((one) => Buffer.from(one)) as [Buffer, Buffer, Buffer]))?.toString();
  expect(carried('a\nexport K=v\nb\n', 'a\n\nb\n', 'a\n\nb\nc\n')).toBe('a\nexport K=v\nb\nc\n');
  expect(carried('a\nexport K=v\nb\n', 'a\n\nb\n', 'first\na\n\nB\n')).toBe('first\na\nexport K=v\nB\n');
  expect(carried('a\nb\n', 'a\n', 'a\nc\n')).toBeUndefined();
});
