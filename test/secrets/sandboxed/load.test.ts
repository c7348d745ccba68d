import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CordonError } from '../../../src/host/errors.ts';
import { loadUserSecrets } from '../../../src/secrets/sandboxed/load.ts';
import { checkUserName } from '../../../src/secrets/sandboxed/user-name.ts';
import { casesFor } from '../../vectors/cases.ts';

interface Files {
  readonly global?: string | null;
  readonly user?: string | null;
}

function configWith({ global, user }: Files, mode = 0o600): string {
  const config = realpathSync(mkdtempSync(join(tmpdir(), 'cordon-secrets-')));
  mkdirSync(join(config, 'users', 'greg'), { recursive: true, mode: 0o700 });
  const write = (path: string, text: string | null | undefined) => {
    if (typeof text === 'string') writeFileSync(join(config, path), text, { mode });
  };
  write('secrets.yaml', global);
  write('users/greg/secrets.yaml', user);
  return config;
}

const valuesOf = (config: string, user = 'greg') =>
  Object.fromEntries(loadUserSecrets(config, user).variables.map(({ name, text }) => [name, text]));

function errorOf(act: () => unknown): CordonError {
  try {
    act();
  } catch (error) {
    if (error instanceof CordonError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const said = (error: CordonError): string =>
  [error.message, error.where, error.hint, ...error.frame, ...error.related.map(said), error.stack].join('\n');

describe('the cases of secrets', () => {
  it.each(casesFor('secrets').map((one) => [one.id, one] as const))('%s', (_, { policy, expect: expected }) => {
    const config = configWith(policy as Files);
    if (expected.env !== undefined) expect(valuesOf(config)).toEqual(expected.env);
    else expect(errorOf(() => valuesOf(config)).kind).toBe(expected.error);
  });
});

describe('global values and those of a user', () => {
  it('another user has the global ones, and every call gives objects of its own', () => {
    const config = configWith({ global: 'sandboxed_envs:\n  A: g\n', user: 'sandboxed_envs:\n  A: u\n' });
    expect([valuesOf(config), valuesOf(config, 'other')]).toEqual([{ A: 'u' }, { A: 'g' }]);
    expect(loadUserSecrets(config, 'greg').variables[0]).not.toBe(loadUserSecrets(config, 'greg').variables[0]);
  });

  it('a change is there the next time', () => {
    const config = configWith({ global: 'sandboxed_envs:\n  A: "1"\n' });
    expect(valuesOf(config)).toEqual({ A: '1' });
    writeFileSync(join(config, 'secrets.yaml'), 'sandboxed_envs:\n  A: "2"\n');
    expect(valuesOf(config)).toEqual({ A: '2' });
  });

  it('a file that was there and is gone does not mean the global values', () => {
    const config = configWith({ global: 'sandboxed_envs:\n  A: g\n', user: 'sandboxed_envs:\n  A: u\n' });
    valuesOf(config);
    rmSync(join(config, 'users/greg/secrets.yaml'));
    expect(errorOf(() => valuesOf(config))).toMatchObject({ where: join(config, 'users/greg/secrets.yaml') });
  });
});

const VALUE = 'hunter2-Zq81xW0p';
const BAD: readonly (readonly [string, string, string, RegExp])[] = [
  ['a number', 'sandboxed_envs:\n  KEY_A: 5550123\n', ':2:10', /KEY_A.*number/],
  ['a list', `sandboxed_envs:\n  KEY_A: [${VALUE}]\n`, ':2:10', /KEY_A/],
  ['nothing', 'sandboxed_envs:\n  KEY_A:\n', ':2:', /KEY_A/],
  ['an empty text', "sandboxed_envs:\n  KEY_A: ''\n", ':2:10', /KEY_A.*empty/],
  ['no map', `sandboxed_envs: [${VALUE}]\n`, ':1:17', /sandboxed_envs/],
  ['nothing below it', 'sandboxed_envs:\n', ':1:', /sandboxed_envs/],
  ['an unknown key', `sandboxed_env:\n  KEY_A: ${VALUE}\n`, ':1:1', /sandboxed_env'/],
  ['a key twice', `sandboxed_envs:\n  KEY_A: ${VALUE}\n  KEY_A: x\n`, ':3:3', /twice/],
  ['a digit first', `sandboxed_envs:\n  1A: ${VALUE}\n`, ':2:3', /1A/],
  ['PATH', `sandboxed_envs:\n  PATH: ${VALUE}\n`, ':2:3', /PATH/],
  ['home in lower case', `sandboxed_envs:\n  home: ${VALUE}\n`, ':2:3', /home/],
  ['SHELL', `sandboxed_envs:\n  SHELL: ${VALUE}\n`, ':2:3', /SHELL/],
  ['a variable of the loader', `sandboxed_envs:\n  LD_PRELOAD: ${VALUE}\n`, ':2:3', /LD_PRELOAD/],
  ['one of ours', `sandboxed_envs:\n  CORDON_HOME: ${VALUE}\n`, ':2:3', /CORDON_HOME/],
  ['a name with a space', `sandboxed_envs:\n  "A B": ${VALUE}\n`, ':2:3', /A B/],
  ['a letter that only looks like A', `sandboxed_envs:\n  "\u0410": ${VALUE}\n`, ':2:3', /is not the name/],
  ['an open quote', `sandboxed_envs:\n  KEY_A: '${VALUE}\n`, ':', /not valid YAML/],
  ['an alias of nothing', `sandboxed_envs:\n  KEY_A: *${VALUE}\n`, ':2:', /not valid YAML/],
  ['a broken reference', `sandboxed_envs:\n  KEY_A: env://${VALUE} ${VALUE}\n`, ':2:10', /KEY_A.*reference/],
  ['a main key that is no text', `anthropic_api_key: [${VALUE}]\n`, ':1:20', /anthropic_api_key/],
  ['nothing but a comment', '# later\n', ':', /not valid YAML/],
  ['nothing', '', '', /empty/],
];

describe('what is wrong is said by file, line and key, never by value', () => {
  it.each(BAD)('%s', (_, text, where, message) => {
    const config = configWith({ global: 'sandboxed_envs:\n  KEY_A: global\n', user: text });
    const error = errorOf(() => valuesOf(config));
    expect(error.where).toContain(`${join(config, 'users/greg/secrets.yaml')}${where}`);
    expect(error.message).toMatch(message);
    expect(said(error)).not.toContain(VALUE);
    expect(said(error)).not.toContain('5550123');
  });

  it('everything that is wrong is said at once', () => {
    const config = configWith({ global: `sandboxed_envs:\n  1A: ${VALUE}\n  PATH: ${VALUE}\n  B: 1\n` });
    expect(errorOf(() => valuesOf(config)).related).toHaveLength(2);
  });

  it.each([0o644, 0o640, 0o604])('a file of mode %o with a plain value is refused', (mode) => {
    const config = configWith({ global: `sandboxed_envs:\n  A: ${VALUE}\n` });
    chmodSync(join(config, 'secrets.yaml'), mode);
    expect(errorOf(() => valuesOf(config))).toMatchObject({ hint: expect.stringContaining('chmod 600') });
  });

  it('a file with references only may be read by others, but not written', () => {
    const config = configWith({ global: 'sandboxed_envs:\n  A: vault://a\n' }, 0o644);
    expect(loadUserSecrets(config, 'greg').variables).toMatchObject([{ name: 'A', reference: true }]);
    chmodSync(join(config, 'secrets.yaml'), 0o666);
    expect(errorOf(() => valuesOf(config)).message).toContain('another user could have written');
  });

  it('an address with a scheme of its own is a plain value', () => {
    const config = configWith({ global: 'sandboxed_envs:\n  DATABASE_URL: postgres://u:p@localhost/db\n' });
    expect(valuesOf(config)).toEqual({ DATABASE_URL: 'postgres://u:p@localhost/db' });
  });
});

describe('names of users', () => {
  it.each(['greg', 'Greg_2', 'a.b', 'greg@example.org', '7up'])('%s is one', (name) => {
    expect(checkUserName(name)).toBe(name);
  });

  it.each([
    '../x',
    '..',
    '.',
    '/',
    '/etc',
    'a/b',
    'a\\b',
    'a\0b',
    '',
    ' ',
    '-rf',
    '.hidden',
    'a..b',
    'gr\u0435g',
    'greg\u200b',
    'x'.repeat(300),
    'a\nb',
  ])('%j is none', (name) => {
    expect(errorOf(() => loadUserSecrets(configWith({}), name)).kind).toBe('user');
  });

  it('what is no text is none', () => {
    expect(errorOf(() => checkUserName(undefined as unknown as string)).kind).toBe('user');
  });
});
