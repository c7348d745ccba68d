import { describe, expect, it } from 'vitest';
import { guardValue, READINGS, SHAPES, SHORTEST_SHAPE } from '../../../src/decide/guard/index.ts';
import { bytesOfText } from '../../../src/host/bytes.ts';
import { EXAMPLES } from './examples.ts';

const RULES = [...SHAPES, ...READINGS];
const find = (value: string, name = 'VALUE') => guardValue(bytesOfText(name), bytesOfText(value));

describe('every rule', () => {
  it('has an example and a look-alike, and no id twice', () => {
    expect(RULES.map(({ id }) => id).sort()).toEqual(Object.keys(EXAMPLES).sort());
    for (const { matches, lookalikes } of Object.values(EXAMPLES))
      expect(Math.min(matches.length, lookalikes.length)).toBeGreaterThan(0);
  });

  it.each(Object.entries(EXAMPLES))('%s sees its examples', (id, { matches, name }) => {
    for (const value of matches) expect([value, find(value, name)?.rule]).toEqual([value, id]);
  });

  it.each(Object.entries(EXAMPLES))('%s passes its look-alikes', (_id, { lookalikes, name }) => {
    for (const value of lookalikes) expect([value, find(value, name)]).toEqual([value, undefined]);
  });

  it.each(SHAPES.map((shape) => [shape.id, shape] as const))('%s is seen inside a longer text', (id) => {
    for (const value of EXAMPLES[id]?.matches ?? []) expect(find(`one, "${value}" two`)).toBeDefined();
  });
});

describe('a shape', () => {
  it.each(SHAPES.map((shape) => [shape.id, shape.pattern] as const))(
    '%s repeats nothing without a bound',
    (_id, { source, flags }) => {
      const withoutClasses = source.replace(/\\./g, 'e').replace(/\[[^\]]*\]/g, 'C');
      expect(withoutClasses).not.toMatch(/[*+]|\{\d+,\}/);
      expect(flags).not.toContain('g');
    },
  );

  it.each(SHAPES.map((shape) => [shape.id, shape] as const))(
    '%s has an anchor in each of its examples',
    (id, { anchors, pattern }) => {
      for (const value of EXAMPLES[id]?.matches.filter((match) => pattern.test(match)) ?? []) {
        expect(anchors.some((anchor) => value.includes(anchor))).toBe(true);
        expect(value.length).toBeGreaterThanOrEqual(SHORTEST_SHAPE);
      }
    },
  );
});

describe('a finding', () => {
  it('is made of fixed words: the rule and its kind, nothing of the value', () => {
    for (const { id, what } of RULES) {
      for (const value of EXAMPLES[id]?.matches ?? []) {
        expect(find(value, EXAMPLES[id]?.name)).toEqual({ rule: id, reason: `the value holds ${what}` });
      }
    }
  });
});

describe('encoded values', () => {
  it.each([
    ['percent', encodeURIComponent('postgres://u:p@h/db')],
    ['base64', Buffer.from('{"password":"hunter2"}').toString('base64')],
    [
      'base64 with line breaks',
      Buffer.from('registry=x\n_auth=dTpwYXNz\n')
        .toString('base64')
        .replace(/(.{20})/g, '$1\n'),
    ],
  ])('%s are read', (_how, value) => {
    expect(find(value)).toBeDefined();
  });

  it('bytes that are no text are taken as they are', () => {
    expect(guardValue(bytesOfText('X'), '\xff\xfe\x00' as never)).toBeUndefined();
  });
});
