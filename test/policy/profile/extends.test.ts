import { describe, expect, test } from 'vitest';
import { allowed, Home } from './support.ts';

const list = (...allow_vars: string[]) => ({ environment: { allow_vars } });

describe('extends', () => {
  test('the base first, duplicates once, in order', async () => {
    const home = new Home({
      'base.json': list('PATH', 'HOME'),
      'child.json': { extends: 'base', ...list('HOME', 'AWS_*') },
    });
    const policy = await home.load('child');
    expect(allowed(policy)).toEqual(['PATH', 'HOME', 'AWS_*']);
    expect(policy.allow.map(({ origin }) => origin.replace(/^.*profiles\//, '').replace(/:.*/, ''))).toEqual([
      'base.json',
      'base.json',
      'child.json',
    ]);
  });

  test('several bases in order, in different syntaxes', async () => {
    const home = new Home({
      'a.toml': '[environment]\nallow_vars = ["A", "X"]\n',
      'b.yaml': 'environment: {allow_vars: [B, X]}\n',
      'c.json': { extends: ['b', 'a'], ...list('C') },
    });
    expect(allowed(await home.load('c'))).toEqual(['B', 'X', 'A', 'C']);
    expect(allowed(await home.load(['a', 'b']))).toEqual(['A', 'X', 'B']);
  });

  test('a base without a list adds nothing, and no list anywhere means everything', async () => {
    const home = new Home({
      'none.json': {},
      'some.json': { extends: 'none', ...list('A') },
      'still.json': { extends: 'none' },
    });
    expect((await home.load('some')).base.preset).toBe('none');
    expect((await home.load('still')).base.preset).toBe('all');
  });

  test('a child without a list keeps that of its base', async () => {
    const home = new Home({ 'empty.json': list(), 'child.json': { extends: 'empty' } });
    const policy = await home.load('child');
    expect([policy.base.preset, allowed(policy)]).toEqual(['none', []]);
  });

  test('set and credentials: the child wins by key; what it leaves alone stays', async () => {
    const home = new Home({
      'base.json': {
        environment: { set_vars: { A: 'base', B: 'base' } },
        env_credentials: { one: 'ONE', two: 'TWO', three: 'THREE' },
      },
      'child.json': {
        extends: 'base',
        environment: { set_vars: { B: 'child', C: 'child' } },
        env_credentials: { one: 'UNO', 'env://X': 'TWO' },
      },
    });
    const policy = await home.load('child');
    expect(policy.set.map(({ name, value }) => `${name}=${value}`)).toEqual(['A=base', 'B=child', 'C=child']);
    expect(policy.credentials.map(({ target, source }) => `${source}>${target}`)).toEqual([
      'vault://three>THREE',
      'vault://one>UNO',
      'env://X>TWO',
    ]);
  });

  test('deny appends, with exceptions of its own each', async () => {
    const home = new Home({
      'base.json': { environment: { deny_vars: [{ pattern: '*TOKEN*', except: ['GH_TOKEN'] }] } },
      'child.json': { extends: 'base', environment: { deny_vars: ['*TOKEN*', 'GH_*'] } },
    });
    const { deny } = await home.load('child');
    expect(deny.map(({ pattern, except }) => [pattern.source, except.length])).toEqual([
      ['*TOKEN*', 1],
      ['*TOKEN*', 0],
      ['GH_*', 0],
    ]);
  });

  test('the rest: the child where it says something', async () => {
    const home = new Home({
      'base.json': {
        isolation: 'barrier',
        network: { block: true },
        redact: true,
        filesystem: { preset: 'workspace', read: ['/a'] },
      },
      'child.json': { extends: 'base', isolation: 'auto', filesystem: { allow: ['/b'], read: ['/a', '/c'] } },
    });
    const { filesystem, ...policy } = await home.load('child');
    expect(policy).toMatchObject({ isolation: 'auto', network: { mode: 'off' }, redact: true });
    expect(filesystem).toMatchObject({ preset: 'workspace', write: ['/b'], read: ['/a', '/c'] });
  });

  test('every file that it came from is told, also those given and extended by path', async () => {
    const home = new Home({ 'base.json': {} });
    const beside = home.write('elsewhere/beside.json', { extends: 'base' });
    const given = home.write('elsewhere/given.json', { extends: './beside.json' });
    const policy = await home.load(given);
    expect(policy.files).toEqual(expect.arrayContaining([given, beside, `${home.config}/profiles/base.json`]));
    expect((await home.load('agent')).files).toEqual([]);
  });

  test('a diamond: the common base is applied once, and does not undo what came after it', async () => {
    const home = new Home({
      'top.json': { environment: { allow_vars: ['T'], set_vars: { X: 'top' } } },
      'left.json': { extends: 'top', environment: { allow_vars: ['L'], set_vars: { X: 'left' } } },
      'right.json': { extends: 'top', ...list('R') },
      'all.json': { extends: ['left', 'right'] },
    });
    const policy = await home.load('all');
    expect(allowed(policy)).toEqual(['T', 'L', 'R']);
    expect(policy.set[0]?.value).toBe('left');
  });

  test('forty levels of diamonds are still each read once', async () => {
    const level = (i: number) => [
      [`a${i}.json`, { extends: [`a${i + 1}`, `b${i + 1}`], ...list(`A${i}`) }],
      [`b${i}.json`, { extends: [`a${i + 1}`, `b${i + 1}`], ...list(`B${i}`) }],
    ];
    const files = Object.fromEntries([
      ...Array.from({ length: 40 }, (_, i) => level(i)).flat(),
      ['a40.json', list('E')],
      ['b40.json', list('F')],
    ]);
    expect(allowed(await new Home(files).load('a0'))).toHaveLength(2 * 40 + 2 - 1);
  });
});

describe('what cannot be resolved shows the chain', () => {
  test('a circle', async () => {
    const home = new Home({ 'a.json': { extends: 'b' }, 'b.json': { extends: 'c' }, 'c.json': { extends: 'b' } });
    const error = await home.refusal('a');
    expect(error.message).toContain('a → b → c → b');
    expect(error.where).toContain('c.json');
  });

  test('a profile that extends itself', async () => {
    expect((await new Home({ 'me.json': { extends: 'me' } }).refusal('me')).message).toContain('me → me');
  });

  test('a circle through a path', async () => {
    const home = new Home({ 'a.json': { extends: './b.json' }, 'b.json': { extends: 'a' } });
    expect((await home.refusal('a')).message).toContain('a → b → a');
  });

  test('a missing base, with the place it is named and the nearest name', async () => {
    const home = new Home({ 'a.json': { extends: 'b' }, 'b.json': { extends: 'lockd' } });
    const error = await home.refusal('a');
    expect(error.message).toContain('a → b → lockd');
    expect(error.where).toContain('b.json:2:14');
    expect(error.hint).toContain('did you mean locked?');
  });

  test('a chain of a hundred', async () => {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}.json`, { extends: `p${i + 1}` }]));
    expect((await new Home(files).refusal('p0')).message).toContain('more than 64 profiles');
  });
});

describe('where profiles are found', () => {
  test('a file by its path; a name never means a file of the working folder', async () => {
    const home = new Home();
    home.write('local.json', list('LOCAL'));
    home.write('agent', list('TRAP'));
    expect(allowed(await home.load('./local.json'))).toEqual(['LOCAL']);
    expect(allowed(await home.load('local.json'))).toEqual(['LOCAL']);
    expect((await home.refusal('local')).message).toContain("no profile 'local'");
    expect((await home.load('agent')).base.preset).toBe('agent');
  });

  test('a base next to the file that names it, but only where no profile has the name', async () => {
    const home = new Home({ 'known.json': list('OWN') });
    home.write('work/base.json', list('BESIDE'));
    home.write('work/known.json', list('TRAP'));
    home.write('work/locked.json', list('TRAP'));
    home.write('work/a.json', { extends: ['base', 'known', 'locked'] });
    expect(allowed(await home.load('work/a.json'))).toEqual(['BESIDE', 'OWN']);
  });

  test('a missing file, a missing profile', async () => {
    expect((await new Home().refusal('./none.json')).message).toContain("no file './none.json'");
    expect((await new Home().refusal('claude-cod')).hint).toContain('did you mean claude-code?');
  });

  test('two files for one name', async () => {
    const home = new Home({ 'w.json': {}, 'w.toml': 'redact = true\n' });
    expect((await home.refusal('w')).message).toContain('two files define');
  });

  test('names cannot leave the folder', async () => {
    const home = new Home();
    home.write('outside.json', list('X'));
    for (const name of ['..', '.', '__proto__', 'constructor', 'toString', '']) await home.refusal(name);
  });

  test("a user's profile takes the place of a built-in one, with a warning, and can extend it", async () => {
    const home = new Home({ 'locked.json': { extends: 'locked', ...list('LANG') } });
    const policy = await home.load('locked');
    expect(policy.warnings.join()).toContain("takes the place of the built-in profile 'locked'");
    expect(allowed(policy)).toEqual(['LANG']);
    expect(policy.network.mode).toBe('off');
  });
});
