import { describe, expect, test } from 'vitest';
import { atTargets } from '../../../src/launch/container/remap.ts';
import {
  cutAtStar,
  isWithinPattern,
  literally,
  type Path,
  type PathPattern,
  patternBelow,
  plainOf,
} from '../../../src/plan/places/facts.ts';

const path = (text: string) => text as Path;
const ODD = ['/a', '/a*', '/a\\', '/a\\*', '/a.b+(c)', '/*', '/c/**/b\\\\', '/a\nb*'].map(path);

describe('a path that is taken as it is written', () => {
  test.each(ODD)('%j', (one) => {
    const pattern = literally(one);
    expect(plainOf(pattern)).toBe(one);
    expect(cutAtStar(pattern)).toBeUndefined();
    for (const other of ODD) expect(isWithinPattern(`${other}/x`, pattern)).toBe(other === one);
  });
});

describe('a pattern of our own in a folder of any name', () => {
  test.each(ODD)('%j', (folder) => {
    const pattern = patternBelow(folder, '.x*/key');
    expect(plainOf(pattern)).toBeUndefined();
    expect(cutAtStar(pattern)).toEqual({ folder, name: '.x*', rest: ['key'] });
    for (const within of ['.x/key', '.x1/key/a']) expect(isWithinPattern(`${folder}/${within}`, pattern)).toBe(true);
    for (const other of ['.x', 'x/key', '.x/y/key', '.x/keys'])
      expect(isWithinPattern(`${folder}/${other}`, pattern)).toBe(false);
  });
});

test('what is hidden is so where its folder appears, a star being a star', () => {
  const hide = { kind: 'hide', why: '', paths: ['/w\\*/.x*/key', '/w\\*'] as string[] as PathPattern[] } as const;
  const keep = { kind: 'keep-read', why: '', paths: [path('/w*/own')] } as const;
  const moved = (from: string) => atTargets([hide, keep], [{ path: from, target: '/in*' }]);
  expect(moved('/w*')).toEqual([
    { ...hide, paths: [...hide.paths, '/in\\*/.x*/key', '/in\\*'] },
    { ...keep, paths: ['/w*/own', '/in*/own'] },
  ]);
  expect(moved('/wx')).toEqual([hide, keep]);
});
