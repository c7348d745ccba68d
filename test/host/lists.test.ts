import { expect, test } from 'vitest';
import { groupsIn, wordsIn } from '../../src/host/bytes.ts';
import { HIDDEN_IN_HOME, HIDDEN_IN_SYSTEM, NAMING_VARIABLES } from '../../src/plan/places/credentials.ts';
import { SHOWN_IN_HOME } from '../../src/plan/places/shown.ts';
import { NEVER, ONLY_BY_NAME } from '../../src/policy/presets/injection.ts';

test('a list is read as it is written', () => {
  expect(groupsIn('\nkeys: .a, .b c,\n  .d\nwords, typed: .e\n')).toEqual([
    ['keys', ['.a', '.b c', '.d']],
    ['words, typed', ['.e']],
  ]);
  expect(wordsIn('\n  A B\n  C\n')).toEqual(['A', 'B', 'C']);
});

test.each([
  ['credentials of a home', HIDDEN_IN_HOME.flatMap(({ places }) => places), 581],
  ['credentials of the machine', HIDDEN_IN_SYSTEM.flatMap(({ places }) => places), 40],
  ['variables that name a file', NAMING_VARIABLES.map(({ name }) => name), 55],
  ['what of a home is shown', SHOWN_IN_HOME.flatMap(({ places }) => places), 363],
  ['variables that run code', [...NEVER, ...ONLY_BY_NAME].flatMap(({ names }) => names), 152],
])('each entry of the list of %s is one name', (_, entries, least) => {
  expect(entries.length).toBeGreaterThanOrEqual(least);
  // Two that a forgotten comma made one, or half a line that was indented by mistake.
  expect(entries.filter((entry) => /[,:`\n]|^\s|\s$| [./]/.test(entry) || entry === '')).toEqual([]);
});
