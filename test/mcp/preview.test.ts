import { array, assert, constantFrom, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { Rate } from '../../src/mcp/http/rate.ts';
import { PREVIEW_BYTES, Preview } from '../../src/mcp/preview.ts';

const pieces = array(constantFrom('a', 'bc\n', '\n', 'ü', 'long '.repeat(20), 'x'.repeat(3000)), { maxLength: 400 });

test('head and tail are what a whole look would show, however the output is cut into chunks', () => {
  assert(
    property(
      pieces,
      integer({ min: 0, max: 12 }),
      constantFrom('head' as const, 'tail' as const),
      (texts, lines, mode) => {
        const preview = new Preview({ mode, lines });
        for (const text of texts) preview.push(Buffer.from(text));
        const whole = Buffer.from(texts.join(''));
        const kept = mode === 'head' ? whole.subarray(0, PREVIEW_BYTES) : whole.subarray(-PREVIEW_BYTES);
        const all = kept.toString('utf8').replace(/\n$/, '').split('\n');
        const chosen = mode === 'head' ? all.slice(0, lines) : all.slice(Math.max(0, all.length - lines));
        expect(preview.shown().text).toBe(chosen.join('\n'));
        expect(preview.bytes).toBe(whole.length);
        const newlines = whole.toString().split('\n').length - 1;
        expect(preview.lines).toBe(newlines + (whole.length > 0 && whole.at(-1) !== 10 ? 1 : 0));
      },
    ),
  );
});

test('memory does not grow with the output', () => {
  const preview = new Preview({ mode: 'tail', lines: 10 });
  const chunk = Buffer.alloc(65_536, 'y');
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 2000; i++) preview.push(chunk);
  expect(preview.bytes).toBe(2000 * 65_536);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20);
});

test('a rate lets half a minute through at once, then as many as come in', () => {
  const rate = new Rate(60, 0);
  const taken = Array.from({ length: 31 }, () => rate.take(0));
  expect(taken).toEqual([...Array.from({ length: 30 }, () => 0), 1]);
  expect([rate.take(1000), rate.take(1000), rate.take(2500)]).toEqual([0, 1, 0]);
});
