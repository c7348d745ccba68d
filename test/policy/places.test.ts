import { isAbsolute } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandPath, PATH_PATTERN, settledPlaces, workspaceProblem } from '../../src/policy/places.ts';

const ROOTS = { home: '/home/u', workdir: '/work/site' };
const EMPTY = { write: [], read: [], hide: [], expose: [] };

describe('a path as it is meant', () => {
  test.each([
    ['/srv/x/', '/srv/x'],
    ['/srv/../x/./y', '/x/y'],
    ['/', '/'],
    ['~', '/home/u'],
    ['~/', '/home/u'],
    ['~/a b', '/home/u/a b'],
    ['$HOME', '/home/u'],
    ['$HOME/.config', '/home/u/.config'],
    ['$WORKDIR', '/work/site'],
    ['$WORKDIR/out/', '/work/site/out'],
    ['/srv/~/x', '/srv/~/x'],
  ])('%s is %s', (text, path) => expect(expandPath(text, ROOTS)).toEqual({ path }));

  test.each([
    ['', 'is empty'],
    ['/a\0b', 'NUL'],
    ['src', 'not an absolute path'],
    ['./src', 'not an absolute path'],
    ['~root/x', 'not an absolute path'],
    ['$HOMER/x', 'a $ that nothing expands'],
    ['$PWD/x', 'a $ that nothing expands'],
    ['\u0024{HOME}/x', 'a $ that nothing expands'],
    ['/srv/$HOME', 'a $ that nothing expands'],
    ['$HOME/$USER', 'a $ that nothing expands'],
  ])('%j is refused', (text, problem) =>
    expect(expandPath(text, ROOTS)).toMatchObject({ problem: expect.stringContaining(problem) }),
  );

  test('a relative one is taken where there is a folder to start from, and never a name of another user', () => {
    const here = { ...ROOTS, relativeTo: '/here' };
    expect(expandPath('src/../out/', here)).toEqual({ path: '/here/out' });
    expect(expandPath('./~x', here)).toEqual({ path: '/here/~x' });
    expect(expandPath('~bob/x', here)).toHaveProperty('problem');
  });

  test('what nothing is known of is refused', () => {
    expect(expandPath('~/x', { ...ROOTS, home: undefined })).toHaveProperty('problem');
    expect(expandPath('$WORKDIR/x', { ...ROOTS, workdir: undefined })).toHaveProperty('problem');
    expect(expandPath('/x', { home: undefined, workdir: undefined })).toEqual({ path: '/x' });
  });

  const piece = fc.oneof(
    fc.constantFrom('~', '$HOME', '$WORKDIR', '$X', '.', '..', '', '/', '~u', 'a', '\0', ' ', 'ä', '*', '\n'),
    fc.string({ maxLength: 4 }),
  );
  const paths = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('/'));

  test('the result is absolute, has no dots, no $ and no slash at its end, and means itself', () => {
    fc.assert(
      fc.property(paths, (text) => {
        const expanded = expandPath(text, { ...ROOTS, relativeTo: '/here' });
        if ('problem' in expanded) return;
        const { path } = expanded;
        expect(isAbsolute(path)).toBe(true);
        expect(path.split('/').some((part) => part === '.' || part === '..')).toBe(false);
        expect(path).not.toMatch(/[$\0]|.\/$/);
        expect(expandPath(path, ROOTS)).toEqual({ path });
      }),
    );
  });

  test('the published pattern takes what is taken', () => {
    const pattern = new RegExp(PATH_PATTERN, 'u');
    fc.assert(
      fc.property(paths, (text) => {
        expect(pattern.test(text)).toBe('path' in expandPath(text, ROOTS));
      }),
    );
  });
});

describe('one word for each path', () => {
  const at = (value: string, origin: string) => [{ value, origin }];

  test.each(['write', 'read', 'expose'] as const)('hidden and %s is an error that names both places', (word) => {
    expect(() => settledPlaces({ ...EMPTY, hide: at('/x', 'a.json:1:2'), [word]: at('/x', 'flag --it') })).toThrow(
      `/x is listed under hide (a.json:1:2) and under ${word} (flag --it)`,
    );
  });
  test('a path below a hidden one may be let through', () => {
    const lists = { ...EMPTY, hide: at('/x', 'a'), write: at('/x/y', 'b') };
    expect(settledPlaces(lists)).toEqual({ paths: lists, warnings: [] });
  });
  test('of read and write, write wins and it is said', () => {
    const { paths, warnings } = settledPlaces({ ...EMPTY, read: at('/x', 'a'), write: at('/x', 'b') });
    expect(paths).toEqual({ ...EMPTY, write: at('/x', 'b') });
    expect(warnings).toEqual(['/x is listed under read (a) and under write (b): it is writable']);
  });
});

test.each([
  ['/', ['/home/u'], 'the home folder /home/u lies in it'],
  ['/', [undefined], 'the whole machine'],
  ['/home', ['/home/u'], 'the home folder /home/u lies in it'],
  ['/home/u', ['/root', '/home/u'], 'it is the home folder'],
  ['/home/u/x', ['/home/u'], undefined],
  ['/home/us', ['/home/u'], undefined],
  ['/hom', ['/home/u'], undefined],
])('%s as the workspace, with the homes %j', (folder, homes, problem) => {
  const found = workspaceProblem(folder, homes);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
