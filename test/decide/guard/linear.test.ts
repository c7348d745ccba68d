import { describe, expect, it } from 'vitest';
import { environmentOf60, HOSTILE_UNITS, repeated } from '../../../bench/guard/costs.ts';
import { guardValue, inspect, SHAPES } from '../../../src/decide/guard/index.ts';
import { type Bytes, bytesOfText } from '../../../src/host/bytes.ts';

const NAME = bytesOfText('PROXY_API_OPTIONS');

const ANCHORS = SHAPES.flatMap(({ anchors }) => anchors);

/** Milliseconds of this process's own work, whatever else the machine does. */
function costOf(value: Bytes): number {
  const start = process.cpuUsage();
  guardValue(NAME, value);
  return process.cpuUsage(start).user / 1000;
}

/** A rule that is worse than linear takes minutes for a megabyte; this bound only tells the two apart. */
const MINUTES_AWAY = 5_000;

describe('hostile values', () => {
  it.each(HOSTILE_UNITS)('1 MB of %j takes time in proportion to its length', (unit) => {
    for (const ending of ['', ' @!']) expect(costOf(repeated(unit, 1_000_000, ending))).toBeLessThan(MINUTES_AWAY);
  });

  it('the anchors of all rules, repeated, take time in proportion to their length', () => {
    for (const anchor of ANCHORS) expect(costOf(repeated(anchor, 200_000, '')), anchor).toBeLessThan(MINUTES_AWAY);
  });
});

describe('a typical environment of 60 variables', () => {
  const variables = environmentOf60();

  it('holds nothing back', () => {
    for (const [name, value] of variables) expect([name, inspect(name, value)]).toEqual([name, undefined]);
  });
});
