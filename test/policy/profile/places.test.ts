import { describe, expect, test } from 'vitest';
import type { ProfileData } from '../../../src/policy/profile/schema.ts';
import { Home } from './support.ts';

const load = async (filesystem: NonNullable<ProfileData['filesystem']>) => new Home().load({ filesystem });

describe('the five words in a profile', () => {
  test('each keeps its paths, with what their beginning stands for', async () => {
    const { filesystem, warnings } = await load({
      write: ['$HOME/out', '~/more/'],
      read: ['/opt'],
      hide: ['~/private'],
      expose: ['~/.netrc'],
      workspace: { folder: '~/site', mode: 'aside' },
    });
    expect(filesystem).toEqual({
      preset: 'guarded',
      explicit: true,
      write: ['/home/u/out', '/home/u/more'],
      read: ['/opt'],
      hide: ['/home/u/private'],
      expose: ['/home/u/.netrc'],
      show: [],
      workspace: { folder: '/home/u/site', mode: 'aside' },
    });
    expect(warnings).toEqual([]);
  });

  test('$WORKDIR is the folder it is used in', async () => {
    const home = new Home();
    const { filesystem } = await home.load({ filesystem: { write: ['$WORKDIR/out'] } });
    expect(filesystem.write).toEqual([`${home.config}/out`]);
  });

  test.each<[string, NonNullable<ProfileData['filesystem']>, boolean]>([
    ['write', { write: ['/x'] }, false],
    ['expose', { expose: ['/x'] }, false],
    ['a workspace folder', { workspace: '/x' }, false],
    ['lists that are empty', { write: [], read: [], hide: [], expose: [] }, false],
    ['read', { read: ['/x'] }, true],
    ['hide', { hide: ['/x'] }, true],
    ['a workspace that is read-only', { workspace: 'read-only' }, true],
    ['a workspace that is put aside', { workspace: { mode: 'aside' } }, true],
  ])('%s: whether it may degrade', async (_, filesystem, explicit) => {
    expect((await load(filesystem)).filesystem).toMatchObject({ preset: 'guarded', explicit });
  });

  test('allow is the old word for write, means minimal without a preset, and says so once', async () => {
    const { filesystem, warnings } = await load({ allow: ['/a', '/b'], write: ['/c'] });
    expect(filesystem).toMatchObject({ preset: 'minimal', explicit: true, write: ['/a', '/b', '/c'] });
    expect(warnings).toEqual([
      'profile object: filesystem.allow: filesystem.allow is now called write, with "preset": "minimal" beside it; the old word still works',
    ]);
  });

  test('profiles add up; of the workspace the later one wins, folder and mode each by itself', async () => {
    const home = new Home({
      'base.json': { filesystem: { write: ['/a'], read: ['/r'], workspace: { folder: '/w', mode: 'aside' } } },
      'child.json': { extends: 'base', filesystem: { write: ['/b'], workspace: 'read-only' } },
    });
    expect((await home.load('child')).filesystem).toMatchObject({
      write: ['/a', '/b'],
      read: ['/r'],
      workspace: { folder: '/w', mode: 'read-only' },
    });
  });

  test('a base that hides what the child writes: an error with both places', async () => {
    const home = new Home({
      'base.json': { filesystem: { hide: ['/x'] } },
      'child.json': { extends: 'base', filesystem: { write: ['/x'] } },
    });
    const error = await home.refusal('child');
    expect(error.message).toMatch(
      /^\/x is listed under hide \(\S+base\.json:4:7\) and under write \(\S+child\.json:5:7\)$/,
    );
  });

  test('read and write: write wins, and it is said', async () => {
    const { filesystem, warnings } = await load({ read: ['/x', '/y'], write: ['/x'] });
    expect(filesystem).toMatchObject({ read: ['/y'], write: ['/x'] });
    expect(warnings).toEqual([expect.stringContaining('it is writable')]);
  });

  test.each<[string, object, string, string]>([
    ['a word that is none', { wriet: [] }, 'filesystem.wriet', 'did you mean write?'],
    ['a relative path', { write: ['src'] }, 'filesystem.write[0]', 'write it from /'],
    ['another variable', { write: ['$XDG_DATA_DIRS/x'] }, 'filesystem.write[0]', 'a $ that nothing expands'],
    ['a NUL', { expose: ['/a\0'] }, 'filesystem.expose[0]', 'NUL'],
    ['the whole machine hidden', { hide: ['/'] }, 'filesystem.hide[0]', '/ cannot be hidden'],
    ['a mode that is none', { workspace: 'asied' }, 'filesystem.workspace', 'did you mean aside?'],
    [
      'a mode of an object that is none',
      { workspace: { mode: 'asied' } },
      'filesystem.workspace.mode',
      'did you mean aside?',
    ],
    ['a key of it that is none', { workspace: { foldr: '/x' } }, 'filesystem.workspace.foldr', 'did you mean folder?'],
    ['the home as the workspace', { workspace: '~' }, 'filesystem.workspace', 'it is the home folder'],
    ['what is above it', { workspace: { folder: '/home' } }, 'filesystem.workspace.folder', 'lies in it'],
    ['a relative workspace', { workspace: './x' }, 'filesystem.workspace', 'not an absolute path'],
    ['a number', { workspace: 1 }, 'filesystem.workspace', 'expected a folder, or one of real, aside, read-only'],
  ])('refused: %s', async (_, filesystem, where, message) => {
    const error = await new Home().refusal({ filesystem });
    expect(error.where).toBe(`profile object: ${where}`);
    expect(`${error.message} ${error.hint}`).toContain(message);
  });
});
