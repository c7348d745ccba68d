import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECKED } from '../../src/decide/rules.ts';
import { type Bytes, bytesOfBuffer, bytesOfText } from '../../src/host/bytes.ts';
import { CONTROL_VARIABLES } from '../../src/host/control.ts';
import { Pattern } from '../../src/policy/pattern.ts';
import { NEVER, ONLY_BY_NAME } from '../../src/policy/presets/injection.ts';
import { presetPatterns } from '../../src/policy/presets/presets.ts';

const matches = (pattern: string, name: string) => Pattern.parse(pattern).matches(bytesOfText(name));

/** fnmatch by the book: every choice of every star is tried. */
function reference(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  const head = pattern[0] as string;
  if (head === '*') return reference(pattern.slice(1), name) || (name !== '' && reference(pattern, name.slice(1)));
  if (name === '') return false;
  if (head !== '[') return (head === '?' || head === name[0]) && reference(pattern.slice(1), name.slice(1));
  const start = pattern[1] === '!' ? 2 : 1;
  const close = pattern.indexOf(']', start + 1);
  const members = pattern.slice(start, close);
  return classHolds(members, name[0] as string) !== (start === 2) && reference(pattern.slice(close + 1), name.slice(1));
}

function classHolds(members: string, character: string): boolean {
  for (let i = 0; i < members.length; i++) {
    const from = members[i] as string;
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    const to = isRange ? (members[i + 2] as string) : from;
    if (from <= character && character <= to) return true;
    if (isRange) i += 2;
  }
  return false;
}

describe('patterns', () => {
  it.each([
    ['PATH', 'PATH', true],
    ['PATH', 'PATHS', false],
    ['PATH', 'path', false],
    ['AWS_*', 'AWS_', true],
    ['AWS_*', 'AWS', false],
    ['AWS_*', 'AWSX_REGION', false],
    ['*RUFF*', 'MY_RUFF', true],
    ['*RUFF*', 'RUF', false],
    ['A?C', 'ABC', true],
    ['A?C', 'AC', false],
    ['A?C', 'ABBC', false],
    ['X[AB]', 'XA', true],
    ['X[AB]', 'XC', false],
    ['Y[!AB]', 'YC', true],
    ['Y[!AB]', 'YA', false],
    ['[a-c]x', 'bx', true],
    ['[]]x', ']x', true],
    ['[!]]x', 'ax', true],
    ['[!]]x', ']x', false],
    ['[a-]x', '-x', true],
    ['[*]', '*', true],
    ['[*]', 'A', false],
    ['a*b*c', 'aXbYbc', true],
    ['*', '', true],
    ['a*a', 'a', false],
  ])('%s on %s is %s', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });

  it('agrees with fnmatch by the book', () => {
    const pattern = fc
      .array(fc.constantFrom('a', 'b', '-', '*', '?', '[ab]', '[!a]', '[a-c]', '[]]', '[!]-]', '**'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((parts) => parts.join(''));
    const name = fc.array(fc.constantFrom('a', 'b', 'c', ']', '-'), { maxLength: 10 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, name, (p, n) => matches(p, n) === reference(p, n)),
      { numRuns: 5000 },
    );
  });

  it('finds long segments as it finds short ones', () => {
    const long = 'ab?'.repeat(40);
    expect(matches(`*${long}*z`, `x${'abc'.repeat(41)}z`)).toBe(true);
    expect(matches(`*${long}*z`, `x${'abc'.repeat(39)}z`)).toBe(false);
    expect(matches(`*${'a'.repeat(40)}b*`, `${'a'.repeat(50)}b`)).toBe(true);
  });

  it('counts bytes, not characters', () => {
    expect(matches('?', 'é')).toBe(false);
    expect(matches('voilà*', 'voilà_1')).toBe(true);
    expect(matches('??', 'é')).toBe(true);
    expect(Pattern.parse('é*').matches(bytesOfText('éa'))).toBe(true);
    expect(Pattern.parse('A?').matches(bytesOfBuffer(Buffer.from([0x41, 0xff])))).toBe(true);
  });

  it.each([
    ['10,000 stars', '*'.repeat(10_000), 'a'.repeat(131_072)],
    ['stars between letters that never end well', `${'*a'.repeat(10_000)}b`, 'a'.repeat(131_072)],
    ['one long segment', `*${'a'.repeat(30_000)}b*`, 'a'.repeat(131_072)],
    ['a long segment of questions', `*${'?'.repeat(20_000)}b*`, 'a'.repeat(131_072)],
  ])('decides a hostile pattern without trying again and again: %s', (_, pattern, name) => {
    const quick = Pattern.parse(pattern);
    const cost = (() => {
      const start = process.cpuUsage();
      quick.matches(name as Bytes);
      const { user } = process.cpuUsage(start);
      return user / 1000;
    })();
    // Trying again and again would take minutes; this bound only tells the two apart.
    expect(cost).toBeLessThan(2000);
  });

  it('finds nothing wrong with the lists that are built in', () => {
    const presets = (['all', 'none', 'os-common', 'agent', 'proxy'] as const).flatMap((name) => presetPatterns(name));
    const listed = [...NEVER, ...ONLY_BY_NAME].flatMap(({ names }) => names);
    for (const text of [...presets, ...listed, ...CONTROL_VARIABLES, ...CHECKED.map(([, name]) => name)]) {
      expect(Pattern.builtIn(text).source).toBe(Pattern.parse(text).source);
    }
  });

  it.each(['', 'A=B', 'A B', 'A\u00a0B', 'A\0', '[ab', 'x[!', 'a[]'])('refuses %j', (pattern) => {
    expect(() => Pattern.parse(pattern, '--allow')).toThrow(/pattern/);
  });
});
