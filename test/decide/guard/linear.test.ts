import { describe, expect, it } from 'vitest';
import { environmentOf60, HOSTILE_UNITS, repeated } from '../../../bench/guard/costs.ts';
import { inspect } from '../../../src/decide/guard/index.ts';
import { guardValue, SHAPES } from '../../../src/decide/guard/value.ts';
import { type Bytes, bytesOfText } from '../../../src/host/bytes.ts';

const NAME = bytesOfText('PROXY_API_OPTIONS');

const ANCHORS = SHAPES.flatMap(({ anchors }) => anchors);

function timeOf(value: Bytes): number {
  const start = performance.now();
  guardValue(NAME, value);
  return performance.now() - start;
}

const best = (value: Bytes) => Math.min(timeOf(value), timeOf(value), timeOf(value));

/** Ten times the length takes about ten times as long; with a quadratic rule it would be a hundred times. */
function isLinear(unit: string, length: number, ending: string): boolean {
  const long = repeated(unit, length, ending);
  if (timeOf(long) < 30) return true;
  return best(long) < 40 * Math.max(best(repeated(unit, length / 10, ending)), 1);
}

describe('hostile values', () => {
  it.each(HOSTILE_UNITS)('1 MB of %j takes time in proportion to its length', (unit) => {
    for (const ending of ['', ' @!']) expect([ending, isLinear(unit, 1_000_000, ending)]).toEqual([ending, true]);
  });

  it('the anchors of all rules, repeated, take time in proportion to their length', () => {
    for (const anchor of ANCHORS) expect([anchor, isLinear(anchor, 200_000, '')]).toEqual([anchor, true]);
  });
});

describe('a typical environment of 60 variables', () => {
  const variables = environmentOf60();

  it('holds nothing back', () => {
    for (const [name, value] of variables) expect([name, inspect(name, value)]).toEqual([name, undefined]);
  });

  it('costs less than 2 ms', () => {
    const times = Array.from({ length: 21 }, () => {
      const start = performance.now();
      for (const [name, value] of variables) inspect(name, value);
      return performance.now() - start;
    });
    expect(times.sort((a, b) => a - b)[10]).toBeLessThan(2);
  });
});
